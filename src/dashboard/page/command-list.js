// @ts-check
import { openAction } from './action.js'
import { element } from './dom.js'
import { canAct } from './session.js'

/**
 * Commands to be copied into a shell, where they act with the rights of whoever types them; and to be run, where the page may act.
 * @param {readonly string[]} commands
 */
export function commandItems(commands) {
  return commands.map((text) => {
    const copy = button('Copy', text)
    copy.addEventListener('click', async () => {
      await navigator.clipboard.writeText(text)
      copy.textContent = 'Copied'
    })
    return element('li', {}, [copy, ...(canAct() ? [runButton(text)] : []), element('code', { text })])
  })
}

/** @param {string} text */
function runButton(text) {
  const run = button('Run…', text)
  run.addEventListener('click', () => openAction(text))
  return run
}

/**
 * @param {string} does
 * @param {string} text
 */
function button(does, text) {
  const made = element('button', { text: does })
  made.setAttribute('aria-label', `${does.replace('…', '')}: ${text}`)
  return made
}
