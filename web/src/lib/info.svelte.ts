// What the server says of itself: profile, who writes, whether its models are loaded.

import * as api from "./api.ts";
import type { LibraryInfo } from "./types.ts";

class Info {
  library = $state<LibraryInfo | null>(null);
  problem = $state<api.Problem | null>(null);

  async renew(): Promise<void> {
    try {
      this.library = await api.library();
      this.problem = null;
    } catch (error) {
      this.problem = api.asProblem(error);
    }
  }
}

export const info = new Info();
