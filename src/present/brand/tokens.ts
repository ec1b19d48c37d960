/**
 * Colours, type and measures of everything that people see of appsvc in a browser, as variables of CSS: the console, the pages of the server, and
 * the page of the sandbox. Pages of the app (jump page, in-app messages) have none of it.
 */
export const TOKENS = `
/* Sizes are multiples of 4 px. Text is measured against its ground: every pair below has a contrast of 4.5 or more. */
:root {
  color-scheme: light dark;

  --paper: light-dark(#f7f7f5, #111315);
  --card: light-dark(#ffffff, #191c1f);
  --raised: light-dark(#ffffff, #212529);
  --sunken: light-dark(#f0f0ed, #0c0e10);
  --hover: light-dark(#f2f2ef, #22262a);
  --line: light-dark(#e3e3df, #2a2f34);
  --line-strong: light-dark(#8b8f94, #6b737b);

  --ink: light-dark(#16191d, #eceef0);
  --quiet: light-dark(#575d65, #a2a9b1);
  --faint: light-dark(#646a72, #8d959d);

  --accent: light-dark(#0b6157, #4cc9b3);
  --accent-hover: light-dark(#084c44, #6fd8c5);
  --on-accent: light-dark(#ffffff, #06231f);
  --accent-wash: light-dark(#e4f1ee, #12302b);
  --focus: light-dark(#0b6157, #6fd8c5);

  --good: light-dark(#1a6b34, #6fcf8b);
  --good-wash: light-dark(#e6f3e9, #14301d);
  --warn: light-dark(#8a5300, #edb65a);
  --warn-wash: light-dark(#fbf0da, #352710);
  --bad: light-dark(#b3261e, #ff8f85);
  --bad-wash: light-dark(#fbe9e7, #3a1b18);
  --on-bad: light-dark(#ffffff, #33100c);
  --info: light-dark(#275a9e, #8cb8f5);
  --info-wash: light-dark(#e7eef8, #17263b);

  /* Series of charts, in this order. */
  --series-1: light-dark(#0b7a6c, #4cc9b3);
  --series-2: light-dark(#c4731b, #f0a65a);
  --series-3: light-dark(#4a6fb5, #8cb0ee);
  --series-4: light-dark(#9a4f86, #d99ac6);
  --series-5: light-dark(#6f7780, #a2a9b1);

  --font: system-ui, -apple-system, "Segoe UI", Roboto, "Noto Sans", "Liberation Sans", sans-serif;
  --mono: ui-monospace, "SF Mono", Menlo, Consolas, "Liberation Mono", monospace;
  --text-xs: 0.75rem;
  --text-s: 0.8125rem;
  --text-m: 0.875rem;
  --text-l: 1rem;
  --text-xl: 1.375rem;
  --text-2xl: 1.75rem;

  --radius-s: 6px;
  --radius: 8px;
  --radius-l: 12px;
  --shadow-s: 0 1px 2px light-dark(rgb(20 24 28 / 6%), rgb(0 0 0 / 40%));
  --shadow-l:
    0 1px 3px light-dark(rgb(20 24 28 / 8%), rgb(0 0 0 / 50%)),
    0 16px 40px -8px light-dark(rgb(20 24 28 / 22%), rgb(0 0 0 / 70%));

  --control: 2.25rem;
  --quick: 120ms;
}

:root[data-theme="light"] {
  color-scheme: light;
}

:root[data-theme="dark"] {
  color-scheme: dark;
}

@media (pointer: coarse) {
  :root {
    --control: max(44px, 2.25rem);
  }
}
`
