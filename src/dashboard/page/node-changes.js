// @ts-check
import { byId, element, row, table } from './dom.js'
import { planAnswer } from './plan-answer.js'

/** @import { NodeChangesView } from '../node-changes-view.ts' */

/** Milliseconds until the page asks again, where the controller had other work. */
const ASK_AGAIN = 1_000
const TEXTS = {
  none: 'nodewave has assigned nothing to this node.',
  unreadable: 'The changes cannot be read now; the page asks again.',
}

/** The node that the dialog shows. */
let shown = ''
/** An answer that was asked for before is not shown any more. */
let asked = 0

/** @param {string} node that the dialog is opened for */
export function forgetChanges(node) {
  shown = node
  asked += 1
  details().open = false
  byId('node-changes-content').replaceChildren()
}

/** To be called once. The page asks each time that somebody opens it. */
export function prepareChanges() {
  details().addEventListener('toggle', () => {
    asked += 1
    if (details().open) ask(asked)
  })
}

/** @param {number} mine */
async function ask(mine) {
  /** @type {{ readonly plan: NodeChangesView } | { readonly text: string, readonly isFinal: boolean }} */
  const answer = await planAnswer(() => fetch(`changes/${encodeURIComponent(shown)}`), TEXTS)
  if (mine !== asked) return
  const parts = 'plan' in answer ? changesParts(answer.plan) : [element('p', { text: answer.text })]
  byId('node-changes-content').replaceChildren(...parts)
  if ('text' in answer && !answer.isFinal) setTimeout(() => mine === asked && isOpen() && ask(mine), ASK_AGAIN)
}

/** @param {NodeChangesView} view */
function changesParts({ title, comparisons }) {
  return [element('p', { text: title, className: 'commit' }), ...comparisons.map(comparisonPart)]
}

/** @param {NodeChangesView['comparisons'][number]} comparison */
function comparisonPart({ title, remark, changes }) {
  const body = element(
    'tbody',
    {},
    changes.map((change) => row(change)),
  )
  return element('section', {}, [
    ...(title === '' ? [] : [element('h3', { text: title })]),
    ...(remark === '' ? [] : [element('p', { text: remark, className: 'remark' })]),
    ...(changes.length === 0 ? [] : [table(['what', 'from', 'to'], [body])]),
  ])
}

function isOpen() {
  return /** @type {HTMLDialogElement} */ (byId('node')).open
}

function details() {
  return /** @type {HTMLDetailsElement} */ (byId('node-changes'))
}
