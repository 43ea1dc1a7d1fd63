import assert from "node:assert/strict";
import { test } from "node:test";
import { along, contrast, DARK, LIGHT } from "../src/theme";
import { change, counted, duration, inPercent, quantity, shortened, visible } from "../src/words";

test("numbers are written as everywhere in Weft", () => {
  assert.equal(quantity(0), "0");
  assert.equal(quantity(12345.678), "12,346");
  assert.equal(quantity(0.00123456), "0.001235");
  assert.equal(quantity(null), "–");
  assert.equal(quantity(NaN), "–");
  assert.equal(change(3), "+3");
  assert.equal(change(-1500), "−1,500");
  assert.equal(change(0), "±0");
  assert.equal(inPercent(0.4849), "48.5 %");
  assert.equal(counted(1, "cable"), "1 cable");
  assert.equal(counted(2000, "cable"), "2,000 cables");
  assert.equal(duration(812.4), "812.4 ns");
  assert.equal(duration(81240), "81.24 µs");
});

test("what would steer or turn text stands as an escape", () => {
  assert.equal(visible("a\x1b[31m\u202eb\nc"), "a\\x1b[31m\\u202eb\\x0ac");
  assert.equal(visible("<b>Köln 1 😀</b>"), "<b>Köln 1 😀</b>");
  assert.equal(visible("\ud800"), "\\ud800");
  assert.equal(shortened("abcdefghij", 5), "ab…ij");
  assert.equal(shortened("abcde", 5), "abcde");
});

test("heat grows darker on white and lighter on black, and ends apart from the page", () => {
  for (const theme of [LIGHT, DARK]) {
    const contrasts = Array.from({ length: 21 }, (_, at) => contrast(along(theme.heat, at / 20), theme.page));
    for (let at = 1; at < contrasts.length; at++) {
      assert.ok((contrasts[at] as number) >= (contrasts[at - 1] as number) - 0.3, `${theme.isDark} ${at}`);
    }
    assert.ok((contrasts[20] as number) > 10);
  }
});

test("text and marks are told from the page", () => {
  for (const theme of [LIGHT, DARK]) {
    for (const colour of [theme.text, theme.quiet, theme.accent, theme.other, theme.bad]) {
      assert.ok(contrast(colour, theme.page) >= 4.5);
    }
    for (const end of [0, 1]) assert.ok(contrast(along(theme.difference, end), theme.page) >= 3);
  }
});
