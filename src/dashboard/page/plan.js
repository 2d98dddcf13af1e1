// @ts-check
import { element, row, table } from './dom.js'
import { planAnswer } from './plan-answer.js'

/** @import { PoolView } from '../fleet-view.ts' */
/** @import { PlanView } from '../plan-view.ts' */

/** Milliseconds between two looks at a plan that stays open. */
const REST = 5_000

/** What the commit that waits, or is under way, will change: asked for when somebody opens it. */
export class PlanDetails {
  constructor() {
    this.summary = element('summary')
    this.content = element('div', { className: 'plan' })
    this.root = /** @type {HTMLDetailsElement} */ (element('details', {}, [this.summary, this.content]))
    this.root.hidden = true
    this.root.addEventListener('toggle', () => this.#load())
    this.pool = ''
    this.loading = false
    /** The pool has changed since the plan was asked for. */
    this.isOld = false
    /** What the content was made of: made again only when that changes, so that a reader keeps the place. */
    this.listed = ''
  }

  /** @param {PoolView} pool */
  draw({ name, next, target, waves }) {
    const isUnderWay = waves.some(({ state }) => state !== 'Done')
    const commit = next ?? (isUnderWay ? target : null)
    this.pool = name
    this.root.hidden = commit === null
    this.summary.textContent =
      commit === null ? '' : `Plan of ${commit.revision.slice(0, 7)}, ${next ? 'which waits' : 'what is left'}`
    this.isOld = true
    this.#load()
  }

  async #load() {
    if (!this.root.open || this.root.hidden || this.loading) return
    this.loading = true
    this.isOld = false
    /** @type {{ readonly plan: PlanView } | { readonly text: string, readonly isFinal: boolean }} */
    const answer = await planAnswer(() => fetch(`plans/${encodeURIComponent(this.pool)}`))
    this.#show(answer)
    if ('text' in answer && !answer.isFinal) this.isOld = true
    setTimeout(() => {
      this.loading = false
      if (this.isOld) this.#load()
    }, REST)
  }

  /** @param {{ readonly plan: PlanView } | { readonly text: string, readonly isFinal: boolean }} answer */
  #show(answer) {
    const made = JSON.stringify(answer)
    if (made === this.listed) return
    this.listed = made
    this.content.replaceChildren(...('plan' in answer ? planParts(answer.plan) : [element('p', { text: answer.text })]))
  }
}

/** @param {PlanView} plan */
function planParts({ commit, because, summary, window, waves, groups, remarks }) {
  const by = commit.author === '' ? '' : ` (${commit.author})`
  return [
    element('p', { text: `${commit.revision} ${commit.subject}${by}`, className: 'commit' }),
    ...(because === '' ? [] : [element('p', { text: `It waits: ${because}`, className: 'because' })]),
    element('p', { text: `${summary}${window === '' ? '' : `; window ${window}`}` }),
    ...(waves.length === 0 ? [] : [waveList(waves)]),
    ...groups.map(groupPart),
    ...remarks.map((text) => element('p', { text, className: 'remark' })),
  ]
}

/** @param {PlanView['waves']} waves */
function waveList(waves) {
  const items = waves.map(({ name, nodes, conditions }) =>
    element('li', { text: `${name}: ${nodes}${conditions === '' ? '' : ` (${conditions})`}` }),
  )
  const list = element('ol', {}, items)
  list.setAttribute('aria-label', 'Nodes that change, by wave')
  return list
}

/** @param {PlanView['groups'][number]} group */
function groupPart({ title, reasons, changes }) {
  const body = element(
    'tbody',
    {},
    changes.map((change) => row(change)),
  )
  return element('section', {}, [
    element('h3', { text: title }),
    ...reasons.map((text) => element('p', { text: `because ${text}`, className: 'remark' })),
    table(['what', 'from', 'to'], [body]),
  ])
}
