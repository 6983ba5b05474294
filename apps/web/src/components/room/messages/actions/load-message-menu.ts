import { loadMoreMenu } from "../../../ui/more.tsx";

/** Loads all code of a message's menu. */
export const loadMessageMenu = async () => {
  const [module] = await Promise.all([import("./message-menu.tsx"), loadMoreMenu()]);
  return module;
};
