import style from './style.css'

type Child = Node | string | false | undefined

/** Makes an element. Texts become text, so nothing that an operator wrote can become markup. */
export function make<K extends keyof HTMLElementTagNameMap>(
  tag: K,
  properties: Partial<HTMLElementTagNameMap[K]> = {},
  ...children: Child[]
): HTMLElementTagNameMap[K] {
  const element = Object.assign(document.createElement(tag), properties)
  element.append(...children.filter((child) => child !== false && child !== undefined))
  return element
}

/** Sets colours as custom properties. By the object model, which a strict policy for styles allows. */
export function paint(element: HTMLElement, colors: Record<string, string> = {}): void {
  for (const [name, color] of Object.entries(colors)) element.style.setProperty(`--${name}`, color)
}

/** The root of prompts: a tree of its own, whose styles and those of the page do not meet. */
export function openRoot(): ShadowRoot {
  const host = make('div')
  // What the page says of its elements does not reach into the tree by inheritance either.
  host.style.all = 'initial'
  const root = host.attachShadow({ mode: 'open' })
  const sheet = new CSSStyleSheet()
  sheet.replaceSync(style)
  root.adoptedStyleSheets = [sheet]
  ;(document.body ?? document.documentElement).append(host)
  return root
}
