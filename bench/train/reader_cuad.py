"""What a person would ask where CUAD asks for a kind of clause: two or three questions a kind, ours."""

QUESTIONS = {
    "Parties": ("Who are the parties to this contract?", "Between which companies was this signed?"),
    "Agreement Date": ("What date is on the contract?", "When was this agreement made?"),
    "Effective Date": ("From what day does the contract apply?", "When does it come into force?"),
    "Expiration Date": ("When does the contract run out?", "How long does the first term last?"),
    "Renewal Term": (
        "What happens when the first term is over, does it carry on by itself?",
        "For how long is it renewed?",
    ),
    "Notice Period to Terminate Renewal": (
        "How long beforehand do we have to say that we don't want another term?",
        "What notice stops the automatic renewal?",
    ),
    "Governing Law": ("Which state's or country's law applies?", "Under whose law would a dispute be decided?"),
    "Most Favored Nation": (
        "If another buyer gets a better price, do we get it too?",
        "Is there a promise that nobody else will be given better terms?",
    ),
    "Non-Compete": ("Are we barred from competing with them?", "May a party run a rival business in the same area?"),
    "Exclusivity": ("Are we tied to dealing with them alone?", "Is the arrangement exclusive?"),
    "No-Solicit of Customers": ("May we approach the other side's customers?", "Is luring away clients forbidden?"),
    "No-Solicit of Employees": ("Can we hire people who work for the other side?", "Is poaching of staff forbidden?"),
    "Non-Disparagement": (
        "May we say bad things about the other party in public?",
        "Is running the other side down forbidden?",
    ),
    "Termination for Convenience": (
        "Can we walk away without giving a reason?",
        "Can either side end it just because it wants to?",
    ),
    "Rofr/Rofo/Rofn": (
        "Who gets the first chance to buy or to match an offer?",
        "Is there a right of first refusal?",
    ),
    "Change of Control": (
        "What if one of the companies is sold or taken over?",
        "Does a takeover let the other side end the contract?",
    ),
    "Anti-Assignment": (
        "Can the contract be passed on to someone else?",
        "Is consent needed to assign the agreement?",
    ),
    "Revenue/Profit Sharing": (
        "How is the income split between the parties?",
        "What share of the revenue goes to the other side?",
    ),
    "Price Restrictions": ("How far can prices be raised?", "Is there a limit on price increases?"),
    "Minimum Commitment": ("What is the least we have to buy or pay?", "Is there a minimum order or minimum amount?"),
    "Volume Restriction": (
        "What if we use more than the agreed amount?",
        "Is there an extra charge beyond a certain volume?",
    ),
    "IP Ownership Assignment": (
        "Who owns what is created under the contract?",
        "Does intellectual property pass to the other side?",
    ),
    "Joint IP Ownership": ("Is anything owned by both parties together?", "Which intellectual property is shared?"),
    "License Grant": ("What licence does one party give the other?", "What are we allowed to use under the licence?"),
    "Non-Transferable License": ("Can the licence be transferred?", "May we hand the licence to another company?"),
    "Affiliate License-Licensee": ("May our sister companies use the licence as well?",),
    "Irrevocable or Perpetual License": ("Can the licence ever be taken back?", "Does the licence last for ever?"),
    "Source Code Escrow": (
        "Is the source code left with a third party for safe keeping?",
        "When do we get the source code?",
    ),
    "Post-Termination Services": (
        "What do the parties still have to do after the contract ends?",
        "How long can stock be sold off afterwards?",
    ),
    "Audit Rights": ("Can we check their books?", "Who may inspect the records, and when?"),
    "Uncapped Liability": ("For which breaches is liability without a limit?",),
    "Cap on Liability": ("What is the most that one party could owe the other in damages?", "Is liability limited?"),
    "Liquidated Damages": (
        "Is a fixed sum due if the contract is broken?",
        "What penalty is agreed for ending early?",
    ),
    "Warranty Duration": ("How long is the warranty?", "For how many months are defects put right?"),
    "Insurance": ("What insurance must be carried, and for how much?", "Do we have to be insured?"),
    "Covenant Not to Sue": (
        "Have the parties promised not to challenge the other's rights?",
        "Is somebody giving up the right to sue?",
    ),
    "Third Party Beneficiary": (
        "Can somebody who did not sign enforce the contract?",
        "Does anyone else have rights under it?",
    ),
    "Competitive Restriction Exception": ("Are there exceptions to the ban on competing?",),
}  # fmt: skip
