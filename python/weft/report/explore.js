"use strict";
// Opens the page that this one holds, when it is asked for: it is large.
(() => {
  const button = document.getElementById("open-explore");
  const alone = document.getElementById("explore-alone");
  const trouble = document.getElementById("explore-trouble");

  const unpacked = async () => {
    const text = document.getElementById("explore-page").textContent.trim();
    const packed = Uint8Array.from(atob(text), (letter) => letter.charCodeAt(0));
    const stream = new Blob([packed]).stream().pipeThrough(new DecompressionStream("gzip"));
    return new Response(stream, { headers: { "Content-Type": "text/html" } }).blob();
  };

  button.addEventListener("click", async () => {
    button.disabled = true;
    try {
      const address = URL.createObjectURL(await unpacked());
      const frame = document.createElement("iframe");
      frame.title = "The fabric under your hands";
      frame.src = address;
      document.getElementById("explore-place").replaceChildren(frame);
      alone.href = address;
      alone.hidden = false;
      button.hidden = true;
      trouble.hidden = true;
    } catch {
      trouble.textContent = "What is to be opened was damaged on its way; all else of this page stands as it is.";
      trouble.hidden = false;
      button.disabled = false;
    }
  });
})();
