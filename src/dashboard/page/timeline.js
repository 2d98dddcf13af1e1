// @ts-check
import { drawing, element } from './dom.js'
import { dayMarks, gateMarks, HEIGHT, nowMark, rolloutBars, shortTime, windowBars } from './timeline-marks.js'

/** @import { Timed } from './timeline-marks.js' */

/** Milliseconds. */
const MINUTE = 60_000

/** Rollouts of the last day, and windows of the last day and the next week, along one line. */
export class Timeline {
  constructor() {
    this.text = element('p', { className: 'window' })
    this.picture = drawing('svg', { role: 'img', height: String(HEIGHT), width: '100%' })
    this.root = element('div', { className: 'timeline' }, [this.text, this.picture])
    /** What it was drawn from: drawn again only when that changes. */
    this.drawn = ''
  }

  /**
   * @param {Timed} pool
   * @param {number} now
   */
  draw(pool, now) {
    const { history, windows, window, gates } = pool
    const made = JSON.stringify([history, windows, window, gates, Math.floor(now / MINUTE)])
    if (made === this.drawn) return
    this.drawn = made
    const rollouts = rolloutBars(pool, now)
    this.root.hidden = rollouts.length === 0 && windows.length === 0 && window === ''
    this.text.textContent = window === '' ? '' : `Window: ${window}`
    this.picture.setAttribute('aria-label', described(pool))
    this.picture.replaceChildren(...dayMarks(now), ...windowBars(pool, now), ...rollouts, ...gateMarks(pool, now), nowMark())
  }
}

/**
 * The same for those who hear the page.
 * @param {Timed} pool
 */
function described({ history, windows, gates }) {
  const open = windows.map(({ from, to }) => `${shortTime(from)} to ${shortTime(to)}`)
  const rollouts = history.map(
    ({ revision, result, startedAt }) => `${revision.slice(0, 7)} ${result}, began ${shortTime(startedAt)}`,
  )
  const asked = gates.map(({ name, wave, state }) => `${name} after ${wave} ${state}`)
  return [
    `Timeline in UTC. ${rollouts.length === 0 ? 'No rollouts' : `Rollouts: ${rollouts.join('; ')}`}`,
    ...(open.length === 0 ? [] : [`Windows: ${open.join('; ')}`]),
    ...(asked.length === 0 ? [] : [`Gates: ${asked.join('; ')}`]),
  ].join('. ')
}
