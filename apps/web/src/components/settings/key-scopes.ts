import type { KeyScope } from "../../queries.ts";

/** The permissions of each scope, in the order of the form. */
export const scopeLabels: Readonly<Record<KeyScope, { label: string; description: string }>> = {
  chat: {
    label: "Chat",
    description: "Talk with souls in rooms and from other apps, and read your conversations.",
  },
  "souls:read": {
    label: "Read your souls",
    description: "See your private souls and all their versions.",
  },
  "souls:write": {
    label: "Write your souls",
    description: "Publish, import, change, restore, fork and delete souls.",
  },
  social: { label: "Social", description: "Like and rate souls." },
  "account:read": {
    label: "Read your account",
    description:
      "See your email, your plan and today's messages. With other scopes: download what they read.",
  },
};

export const scopeNames = Object.keys(scopeLabels) as KeyScope[];
