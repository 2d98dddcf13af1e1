// @ts-check
import { commandItems } from './command-list.js'
import { poolCommands } from './commands.js'
import { element, row, showOnly, table } from './dom.js'
import { counted } from './fleet.js'
import { openNode } from './node-dialog.js'
import { PlanDetails } from './plan.js'
import { Squares } from './squares.js'
import { Timeline } from './timeline.js'

/** @import { CommitView, PoolView } from '../fleet-view.ts' */

/**
 * Part of a name that is looked for, how many pixels wide squares may stand, and what time it is.
 * @typedef {{ readonly found: string, readonly width: number, readonly now: number }} Look
 */

/** What a pool is drawn on: made once, so that focus, open details and canvases stay while it changes. */
export class PoolCard {
  constructor() {
    this.title = element('h2')
    this.state = element('p')
    this.commit = element('p', { className: 'commit' })
    this.message = element('p')
    this.waves = element('div', { className: 'waves' })
    this.failed = element('div')
    this.history = element('tbody')
    const history = table(['started', 'ended', 'result', 'commit', 'by', 'subject'], [this.history])
    const details = element('details', {}, [element('summary', { text: 'Recent rollouts' }), history])
    this.next = element('p', { className: 'next' })
    this.timeline = new Timeline()
    this.plan = new PlanDetails()
    this.commands = element('ul', { className: 'commands' })
    /** What the list was made of: made again only when it changes, so that a button keeps the focus. */
    this.listed = ''
    this.root = element('section', { className: 'pool' }, [
      element('header', {}, [this.title, this.state, this.commit]),
      this.message,
      this.next,
      this.waves,
      this.failed,
      this.timeline.root,
      this.plan.root,
      details,
      element('details', {}, [element('summary', { text: 'Commands' }), this.commands]),
    ])
    /** @type {{ readonly title: HTMLElement, readonly counts: HTMLElement, readonly squares: Squares, readonly root: HTMLElement }[]} */
    this.drawn = []
    /** @type {PoolView | undefined} */
    this.pool = undefined
    /** @type {Look | undefined} */
    this.look = undefined
  }

  /**
   * @param {PoolView} pool the same object for as long as nothing of it changes
   * @param {Look} look
   */
  draw(pool, look) {
    this.timeline.draw(pool, look.now)
    if (pool === this.pool && look.found === this.look?.found && look.width === this.look.width) return
    this.pool = pool
    this.look = look
    this.drawWords(pool)
    this.drawWaves(pool, look)
    this.plan.draw(pool)
    this.failed.replaceChildren(
      ...pool.failed.map(({ node, reason, message }) =>
        element('p', { text: `${node}: ${reason}: ${message}`, className: 'Failed' }),
      ),
    )
    this.history.replaceChildren(...pool.history.map(historyRow))
    const commands = poolCommands(pool)
    if (commands.join() !== this.listed) this.commands.replaceChildren(...commandItems(commands))
    this.listed = commands.join()
  }

  /** @param {PoolView} pool */
  drawWords(pool) {
    const { target, next, ready, reason, paused, current, total } = pool
    this.title.textContent = pool.name
    this.state.textContent = `${reason || 'no status yet'}, ${current} of ${total} nodes${paused === '' ? '' : `, paused (${paused})`}`
    this.state.className = ready
    this.commit.textContent = target ? commitText(target) : ''
    this.next.textContent = next ? `Next: ${commitText(next)}` : ''
    this.message.textContent = ready === 'True' ? '' : pool.message
  }

  /**
   * @param {PoolView} pool
   * @param {Look} look
   */
  drawWaves({ waves, gates }, look) {
    while (this.drawn.length < waves.length) this.drawn.push(waveParts())
    this.drawn.length = waves.length
    showOnly(
      this.waves,
      this.drawn.map(({ root }) => root),
    )
    waves.forEach((wave, index) => {
      const parts = this.drawn[index]
      if (!parts) return
      const asked = gates.filter((gate) => gate.wave === wave.name).map(({ name, state }) => `, gate ${name} ${state}`)
      parts.root.className = `wave ${wave.state}`
      parts.title.textContent = `${wave.name}${asked.join('')}`
      parts.counts.textContent = counted(wave.phases)
      parts.squares.canvas.setAttribute(
        'aria-label',
        `${wave.name}: ${counted(wave.phases)}. Arrow keys choose a node, Enter opens it`,
      )
      parts.squares.draw(wave, look)
    })
  }
}

function waveParts() {
  const [title, counts, squares] = [element('h3'), element('p'), new Squares(openNode)]
  return { title, counts, squares, root: element('div', {}, [title, squares.canvas, counts]) }
}

/** @param {PoolView['history'][number]} entry */
function historyRow({ startedAt, endedAt, result, revision, author, subject }) {
  return row([startedAt, endedAt, result, revision.slice(0, 7), author, subject])
}

/** @param {CommitView} commit */
function commitText({ revision, subject, author }) {
  return `${revision} ${subject}${author === '' ? '' : ` (${author})`}`
}
