/** For readers of the API: a mini app as the list shows it, and what its detail adds. */
export const exampleApp = {
  slug: "code-review",
  icon: "icon-code",
  category: "software-engineering",
  title: "Code Review",
  description: "Hand over a function, a file or a diff and say what worries you.",
  badge: "Paste in",
  field_count: 3,
  search_keywords: "code programming software",
};

export const exampleForm = {
  fields: [
    {
      name: "language",
      label: "Language and framework",
      type: "text",
      required: true,
      max_length: 80,
      placeholder: "TypeScript, no framework",
      help: "",
    },
    {
      name: "depth",
      label: "How deep",
      type: "select",
      required: true,
      options: ["A first look", "Line by line"],
      placeholder: "",
      help: "",
    },
    {
      name: "code",
      label: "Code",
      type: "textarea",
      required: true,
      max_length: 6_000,
      placeholder: "",
      help: "The part that worries you will do.",
    },
  ],
  souls: [
    {
      id: 1,
      title: "The Patient Reviewer",
      description: "Reads your code like a good colleague.",
    },
  ],
};
