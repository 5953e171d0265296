import { expect, test } from "vitest";
import { EventReader } from "../src/lib/stream.ts";

const told = 'event: status\ndata: {"stage":"guard"}\n\n: still there\n\nevent: done\ndata: {"id":"a"}\n\n';

test.each([1, 2, 3, 7, 1000])("events come out the same from pieces of %i characters", (size) => {
  const reader = new EventReader();
  const found = [];
  for (let at = 0; at < told.length; at += size) found.push(...reader.push(told.slice(at, at + size)));
  expect(found).toEqual([
    { event: "status", data: '{"stage":"guard"}' },
    { event: "done", data: '{"id":"a"}' },
  ]);
});

test.each([1, 2, 5, 1000])("line ends of other systems, in pieces of %i characters", (size) => {
  const reader = new EventReader();
  const text = told.replaceAll("\n", "\r\n");
  const found = [];
  for (let at = 0; at < text.length; at += size) found.push(...reader.push(text.slice(at, at + size)));
  expect(found.map((e) => e.event)).toEqual(["status", "done"]);
});

test("an event that is not whole is held back, several data lines are one text", () => {
  const reader = new EventReader();
  expect(reader.push("data: one\ndata: two\n")).toEqual([]);
  expect(reader.push("\n")).toEqual([{ event: "message", data: "one\ntwo" }]);
});
