// @ts-check
import { commandItems } from './command-list.js'
import { nodeCommands } from './commands.js'
import { byId, element } from './dom.js'
import { forgetChanges } from './node-changes.js'

/** @param {string} name */
export async function openNode(name) {
  const dialog = /** @type {HTMLDialogElement} */ (byId('node'))
  byId('node-name').textContent = name
  byId('node-facts').replaceChildren()
  forgetChanges(name)
  byId('node-commands').replaceChildren(...commandItems(nodeCommands(name)))
  dialog.showModal()
  const response = await fetch(`nodes/${encodeURIComponent(name)}`)
  /** @type {readonly (readonly [string, string])[]} */
  const rows = response.ok ? await response.json() : [['error', await response.text()]]
  byId('node-facts').replaceChildren(...rows.flatMap(([term, text]) => [element('dt', { text: term }), element('dd', { text })]))
}
