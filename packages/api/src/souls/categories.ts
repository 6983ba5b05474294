/**
 * The categories (specification §2, Category; decisions §7). Their slugs are the allowed values of a
 * soul's `role`. "Other" is no category, but the role of all other souls. Clients and rows store ids
 * and slugs: append new categories, and never renumber or rename one.
 */
export const categories = [
  { id: 1, name: "Software Engineering", slug: "software-engineering", icon: "💻" },
  { id: 2, name: "Data & Analysis", slug: "data-analysis", icon: "📊" },
  { id: 3, name: "Science & Research", slug: "science-research", icon: "🔬" },
  { id: 4, name: "Education", slug: "education", icon: "🎓" },
  { id: 5, name: "Languages", slug: "languages", icon: "💬" },
  { id: 6, name: "Writing & Editing", slug: "writing-editing", icon: "📝" },
  { id: 7, name: "Art & Design", slug: "art-design", icon: "🎨" },
  { id: 8, name: "Business & Marketing", slug: "business", icon: "💼" },
  { id: 9, name: "Personal Finance", slug: "personal-finance", icon: "💰" },
  { id: 10, name: "Law & Rights", slug: "law-rights", icon: "⚖️" },
  { id: 11, name: "Health & Wellbeing", slug: "health-wellbeing", icon: "🌿" },
  { id: 12, name: "Food & Cooking", slug: "food-cooking", icon: "🍳" },
  { id: 13, name: "Travel", slug: "travel", icon: "🧭" },
  { id: 14, name: "Games & Hobbies", slug: "games", icon: "🎲" },
  { id: 15, name: "Stories & Characters", slug: "storytelling", icon: "📖" },
  { id: 16, name: "Productivity", slug: "productivity", icon: "📅" },
] as const;

/** The slugs of all categories. Their type is string, so that `has` accepts any input. */
export const categorySlugs: ReadonlySet<string> = new Set(categories.map(({ slug }) => slug));

/** Lists the categories as GET /api/categories returns them. */
export const listCategories = () => ({ count: categories.length, data: [...categories] });
