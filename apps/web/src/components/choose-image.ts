/** Opens the browser's dialog for an image. Without a choice, nothing happens. */
export function chooseImage(use: (file: File) => void): void {
  const input = document.createElement("input");
  input.type = "file";
  input.accept = "image/*";
  input.hidden = true;
  // Safari reports the choice only for an input that is in the page.
  document.body.append(input);
  const end = () => {
    input.remove();
    const [file] = input.files ?? [];
    if (file) use(file);
  };
  input.addEventListener("change", end);
  input.addEventListener("cancel", end);
  input.click();
}
