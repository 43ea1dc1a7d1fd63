"use strict";

/** Asks a question of the server; the answer as it is in JSON. */
async function ask(question) {
  const answer = await fetch("ask", {
    method: "POST",
    headers: { "Content-Type": "application/json" },
    body: JSON.stringify(question),
  });
  return answer.json();
}

async function show() {
  const page = document.getElementById("page");
  const scene = await (await fetch("scene.json")).json();
  document.title = `${scene.name} – weft explore`;
  const label = document.createElement("label");
  label.textContent = `Routing of ${scene.name}: `;
  const pick = document.createElement("select");
  for (const routing of scene.routings) {
    pick.append(new Option(routing.words, routing.name));
  }
  label.append(pick);
  const verdict = document.createElement("pre");
  verdict.setAttribute("aria-live", "polite");
  page.append(label, verdict);
  const told = async () => {
    const answer = await ask({ question: "routing", state: { routing: pick.value } });
    verdict.textContent = answer.error ? answer.error.what : answer.verdict.words;
  };
  pick.addEventListener("change", told);
  await told();
}

show();
