export const loadPanels = () => import("./message-panels.tsx");
