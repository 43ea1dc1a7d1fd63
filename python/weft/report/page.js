"use strict";
// Puts the charts into the page and lets its controls set their parameters.
(async () => {
  const specifications = JSON.parse(document.getElementById("chart-specifications").textContent);
  const options = {
    renderer: "svg",
    actions: { export: { svg: true, png: true }, source: false, compiled: false, editor: false },
    downloadFileName: document.title,
  };
  const views = {};
  for (const [name, specification] of Object.entries(specifications)) {
    const place = document.getElementById(`chart-${name}`);
    const description = place.textContent;
    const result = await window.vegaEmbed(place, specification, options);
    views[name] = result.view;
    const drawing = place.querySelector("svg.marks");
    drawing.setAttribute("role", "img");
    drawing.setAttribute("aria-label", description);
    const menu = place.querySelector("details");
    if (menu) {
      menu.title = "Save this chart";
      menu.querySelector("summary").setAttribute("aria-label", "Save this chart");
    }
  }

  // A chart takes part in a choice when its specification declares the parameter.
  const set = (parameter, value) => {
    for (const [name, specification] of Object.entries(specifications)) {
      if ((specification.params || []).some((declared) => declared.name === parameter)) {
        views[name].signal(parameter, value).runAsync();
      }
    }
  };

  for (const select of document.querySelectorAll("select[data-signal]")) {
    select.addEventListener("change", () => {
      set(select.dataset.signal, Number(select.value));
      for (const twin of document.querySelectorAll(`[data-signal="${select.dataset.signal}"]`)) {
        twin.value = select.value;
      }
    });
  }

  const boxes = [...document.querySelectorAll("#shown-routings input")];
  for (const box of boxes) {
    box.addEventListener("change", () => {
      set("hidden_routings", boxes.filter((one) => !one.checked).map((one) => one.value));
    });
  }

  window.addEventListener("beforeprint", () => {
    for (const part of document.querySelectorAll("main details")) {
      if (!part.closest(".drawing")) part.open = true;
    }
  });
  document.documentElement.dataset.charts = String(Object.keys(views).length);
})();
