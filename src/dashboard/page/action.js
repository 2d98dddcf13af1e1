// @ts-check
import { byId } from './dom.js'
import { act } from './session.js'

/** The command that the dialog is open for. */
let command = ''
/** Counts openings of the dialog: what comes of a command is not shown under another one. */
let opened = 0

/** Verbs that take a reason. */
const WITH_REASON = ['pause', 'hold']

/** @param {string} text such as `nodewave pause workers` */
export function openAction(text) {
  command = text
  opened += 1
  byId('action-command').textContent = text
  byId('action-outcome').textContent = ''
  byId('action-outcome').className = ''
  reason().value = ''
  byId('action-why').hidden = !WITH_REASON.includes(wordsOf(text)[0] ?? '')
  run().disabled = false
  const dialog = /** @type {HTMLDialogElement} */ (byId('action'))
  dialog.showModal()
}

/** To be called once, when somebody may act. */
export function prepareActions() {
  run().addEventListener('click', async () => {
    const mine = opened
    run().disabled = true
    byId('action-outcome').textContent = 'running'
    const { isDone, text } = await act({ words: wordsOf(command), reason: reason().value.trim() })
    if (mine !== opened) return
    byId('action-outcome').textContent = text
    byId('action-outcome').className = isDone ? 'True' : 'Failed'
    run().disabled = isDone
  })
}

/** @param {string} text */
function wordsOf(text) {
  return text.split(' ').slice(1)
}

function run() {
  return /** @type {HTMLButtonElement} */ (byId('action-run'))
}

function reason() {
  return /** @type {HTMLInputElement} */ (byId('action-reason'))
}
