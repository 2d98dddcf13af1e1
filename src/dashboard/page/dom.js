// @ts-check

/** @param {string} id */
export function byId(id) {
  const element = document.getElementById(id)
  if (!element) throw new Error(`the page has no #${id}`)
  return element
}

/**
 * Text is always text: names, messages and subjects are other people's.
 * @param {string} tag
 * @param {{ readonly text?: string, readonly className?: string }} [more]
 * @param {readonly Node[]} [children]
 */
export function element(tag, { text, className } = {}, children = []) {
  const made = document.createElement(tag)
  if (text !== undefined) made.textContent = text
  if (className !== undefined) made.className = className
  made.append(...children)
  return made
}

/**
 * @param {string} tag
 * @param {Readonly<Record<string, string>>} attributes
 * @param {{ readonly text?: string, readonly title?: string }} [more]
 */
export function drawing(tag, attributes, { text, title } = {}) {
  const made = document.createElementNS(SVG, tag)
  for (const [name, value] of Object.entries(attributes)) made.setAttribute(name, value)
  if (text !== undefined) made.textContent = text
  if (title !== undefined) {
    const shown = document.createElementNS(SVG, 'title')
    shown.textContent = title
    made.append(shown)
  }
  return made
}

const SVG = 'http://www.w3.org/2000/svg'

/**
 * An element that is taken out, if only to be put back, loses the focus.
 * @param {HTMLElement} parent
 * @param {readonly HTMLElement[]} children
 */
export function showOnly(parent, children) {
  const shown = parent.children
  if (children.length === shown.length && children.every((child, index) => child === shown[index])) return
  parent.replaceChildren(...children)
}

/**
 * @param {readonly string[]} headings
 * @param {readonly HTMLElement[]} bodies
 */
export function table(headings, bodies) {
  const head = element(
    'tr',
    {},
    headings.map((text) => element('th', { text })),
  )
  return element('table', {}, [element('thead', {}, [head]), ...bodies])
}

/** @param {readonly string[]} cells */
export function row(cells) {
  return element(
    'tr',
    {},
    cells.map((text) => element('td', { text })),
  )
}
