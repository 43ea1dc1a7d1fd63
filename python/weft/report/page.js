"use strict";
// Lets the controls of the page choose what its charts show.
(() => {
  const members = JSON.parse(document.getElementById("chart-members").textContent);
  const selects = [...document.querySelectorAll("select[data-signal]")];
  const boxes = [...document.querySelectorAll("#shown-routings input")];
  const chosen = (signal) => Number(selects.find((one) => one.dataset.signal === signal)?.value || 0);

  // Marks have classes: r and the place of their routing, l of their load, v of both together.
  const parts = [...document.querySelectorAll(".drawing .weft")].map((mark) => ({
    mark,
    of: Object.fromEntries(
      [...mark.classList].flatMap((word) => word.match(/^[rlv]\d+$/) ? [[word[0], Number(word.slice(1))]] : [])
    ),
    isInDrawing: mark.closest("#figure-fabric") !== null,
  }));
  const heat = members.fabric?.utilization;

  const tell = (mark, text) => {
    let title = mark.querySelector("title");
    if (!title) title = mark.appendChild(document.createElementNS("http://www.w3.org/2000/svg", "title"));
    title.textContent = text;
  };

  const colour = (share) => {
    const stops = heat.colours.map((text) => [1, 3, 5].map((at) => parseInt(text.slice(at, at + 2), 16)));
    const at = Math.min(share, 1) * (stops.length - 1);
    const before = Math.min(Math.floor(at), stops.length - 2);
    const mixed = stops[before].map((low, i) => Math.round(low + (at - before) * (stops[before + 1][i] - low)));
    return `rgb(${mixed.join(", ")})`;
  };

  // The drawing is there for a screen and, smaller, for a telephone.
  const strokes = [...document.querySelectorAll("#figure-fabric .drawing")].flatMap((drawing) => {
    const scale = drawing.matches(".narrow") ? heat?.narrow : 1;
    return [...drawing.querySelectorAll(".of-utilization > path")].map((stroke, place) => [stroke, place, scale]);
  });
  const paint = (view, load) => {
    const name = (value) => value === null ? "–" : value.toFixed(1);
    strokes.forEach(([stroke, place, scale]) => {
      const number = heat.strokes[place];
      const busy = heat.utilization[view][number];
      const share = busy === null ? 0 : Math.min(busy / heat.ends[load], 1);
      stroke.style.stroke = busy === null ? heat.none : colour(share);
      stroke.style.strokeWidth = scale * heat.widths[number] * (heat.idle + (1 - heat.idle) * share);
      const many = heat.links[number] > 1 ? `, the busiest of ${heat.links[number]} links` : "";
      const blocked = name(heat.blocked[view][number]);
      tell(stroke, `${heat.names[number]}${many}\nutilization ${name(busy)} %, blocked ${blocked} % of time`);
    });
  };

  const show = () => {
    const load = chosen("load_index");
    const view = heat ? chosen("routing_index") * heat.loads + load : 0;
    // The place of a routing among those simulated is that of its box, where there are boxes.
    const hidden = new Set(boxes.flatMap((box, place) => box.checked ? [] : [place]));
    for (const { mark, of, isInDrawing } of parts) {
      const isShown = (of.l ?? load) === load && (of.v ?? (isInDrawing ? view : load)) ===
        (isInDrawing ? view : load) && !hidden.has(of.r);
      mark.toggleAttribute("data-hidden", !isShown);
      if (isShown) mark.removeAttribute("display");
      else mark.setAttribute("display", "none");
    }
    if (heat) paint(view, load);
  };

  for (const select of selects) {
    select.addEventListener("change", () => {
      for (const twin of selects) {
        if (twin.dataset.signal === select.dataset.signal) twin.value = select.value;
      }
      show();
    });
  }
  for (const box of boxes) box.addEventListener("change", show);

  for (const [name, of] of Object.entries(members)) {
    for (const shape of ["circle", "square"]) {
      for (const drawing of document.querySelectorAll(`#figure-${name} .drawing`)) {
        const group = `.of-switches-${shape}`;
        const marks = drawing.querySelectorAll(`${group} > path, ${group} use`);
        marks.forEach((mark, place) => tell(mark, of[`switches-${shape}`][place]));
      }
    }
  }

  for (const button of document.querySelectorAll("button.save")) {
    button.addEventListener("click", () => {
      const drawing = document.querySelector(`#chart-${button.dataset.chart} svg.marks`).cloneNode(true);
      for (const mark of drawing.querySelectorAll("[data-hidden]")) mark.remove();
      const link = document.createElement("a");
      link.href = URL.createObjectURL(
        new Blob([new XMLSerializer().serializeToString(drawing)], { type: "image/svg+xml" })
      );
      link.download = `${button.dataset.chart}.svg`;
      link.click();
      URL.revokeObjectURL(link.href);
    });
  }

  window.addEventListener("beforeprint", () => {
    for (const part of document.querySelectorAll("main details")) part.open = true;
  });
  show();
  document.documentElement.dataset.charts = String(document.querySelectorAll("svg.marks").length);
})();
