// @ts-check
import { commandItems } from './command-list.js'
import { nodeCommands } from './commands.js'
import { byId, element } from './dom.js'
import { forgetChanges } from './node-changes.js'

/** The node that the dialog was opened for last: an answer about another one comes too late. */
let shown = ''

/** @param {string} name */
export async function openNode(name) {
  const dialog = /** @type {HTMLDialogElement} */ (byId('node'))
  byId('node-name').textContent = name
  byId('node-facts').replaceChildren()
  forgetChanges(name)
  byId('node-commands').replaceChildren(...commandItems(nodeCommands(name)))
  dialog.showModal()
  shown = name
  const rows = await factsOf(name)
  if (shown !== name) return
  byId('node-facts').replaceChildren(...rows.flatMap(([term, text]) => [element('dt', { text: term }), element('dd', { text })]))
}

/**
 * @param {string} name
 * @returns {Promise<readonly (readonly [string, string])[]>}
 */
async function factsOf(name) {
  try {
    const response = await fetch(`nodes/${encodeURIComponent(name)}`)
    return response.ok ? await response.json() : [['error', await response.text()]]
  } catch {
    return [['error', 'the node cannot be read now; open it again']]
  }
}
