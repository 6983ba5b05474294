import { loadMoreMenu } from "../../../ui/more.tsx";

const loadMenu = () => import("./message-menu.tsx");

/** Loads all code of a message's menu. */
export const loadMessageMenu = () => loadMoreMenu().then(loadMenu);
