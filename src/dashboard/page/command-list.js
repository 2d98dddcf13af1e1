// @ts-check
import { element } from './dom.js'

/**
 * Commands to be copied into a shell, where they act with the rights of whoever types them.
 * @param {readonly string[]} commands
 */
export function commandItems(commands) {
  return commands.map((text) => {
    const button = element('button', { text: 'Copy' })
    button.setAttribute('aria-label', `Copy: ${text}`)
    button.addEventListener('click', async () => {
      await navigator.clipboard.writeText(text)
      button.textContent = 'Copied'
    })
    return element('li', {}, [button, element('code', { text })])
  })
}
