// @ts-check
import { drawing } from './dom.js'

/** @import { PoolView } from '../fleet-view.ts' */
/** @typedef {Pick<PoolView, 'history' | 'windows' | 'window' | 'gates'>} Timed */

/** Milliseconds. */
const HOUR = 3_600_000
const DAY = 24 * HOUR
const [BEFORE, AFTER] = [DAY, 7 * DAY]

/** Rows of the drawing: their top and height, in pixels. */
const WINDOWS = { y: '2', height: '10' }
const ROLLOUTS = { y: '16', height: '10' }
export const HEIGHT = 44

/**
 * @param {number} at
 * @param {number} now
 */
function placeOf(at, now) {
  return (100 * (Math.min(Math.max(at, now - BEFORE), now + AFTER) - now + BEFORE)) / (BEFORE + AFTER)
}

/**
 * @param {{ readonly from: number, readonly to: number }} span
 * @param {number} now
 * @returns {{ readonly x: string, readonly width: string }}
 */
function extent({ from, to }, now) {
  const [left, right] = [placeOf(from, now), placeOf(to, now)]
  // A rollout of a minute is seen, too.
  return { x: `${left}%`, width: `${Math.max(0.3, right - left)}%` }
}

/**
 * @param {Timed} pool
 * @param {number} now
 */
export function windowBars({ windows }, now) {
  return windows
    .map(({ from, to }) => ({ from: Date.parse(from), to: Date.parse(to), title: `open ${shortTime(from)} to ${shortTime(to)}` }))
    .filter(({ to }) => to > now - BEFORE)
    .map(({ title, ...span }) => drawing('rect', { ...WINDOWS, ...extent(span, now), class: 'open' }, { title }))
}

/**
 * @param {Timed} pool
 * @param {number} now
 */
export function rolloutBars({ history }, now) {
  return history
    .map(({ startedAt, endedAt, result, revision }) => ({
      from: Date.parse(startedAt),
      to: endedAt === '' ? now : Date.parse(endedAt),
      result,
      title: `${revision.slice(0, 7)} ${result}: ${shortTime(startedAt)}${endedAt === '' ? '' : ` to ${shortTime(endedAt)}`}`,
    }))
    .filter(({ to }) => to > now - BEFORE)
    .map(({ title, result, ...span }) => drawing('rect', { ...ROLLOUTS, ...extent(span, now), class: result }, { title }))
}

/**
 * @param {Timed} pool
 * @param {number} now
 */
export function gateMarks({ gates }, now) {
  return gates
    .filter(({ since }) => Date.parse(since) > now - BEFORE)
    .map(({ name, wave, state, since }) => {
      const title = `gate ${name} after ${wave}: ${state} since ${shortTime(since)}`
      return drawing('circle', { cx: `${placeOf(Date.parse(since), now)}%`, cy: '21', r: '4', class: `gate ${state}` }, { title })
    })
}

/** @param {number} now */
export function dayMarks(now) {
  const first = Math.ceil((now - BEFORE) / DAY) * DAY
  return Array.from({ length: 8 }, (_, day) => first + day * DAY)
    .filter((midnight) => midnight < now + AFTER)
    .flatMap((midnight) => {
      const x = `${placeOf(midnight, now)}%`
      return [
        drawing('line', { x1: x, x2: x, y1: '0', y2: '30', class: 'day' }),
        drawing('text', { x, y: String(HEIGHT - 3) }, { text: new Date(midnight).toUTCString().slice(0, 7).replace(',', '') }),
      ]
    })
}

export function nowMark() {
  const x = `${(100 * BEFORE) / (BEFORE + AFTER)}%`
  return drawing('line', { x1: x, x2: x, y1: '0', y2: '30', class: 'now' }, { title: 'now' })
}

/** @param {string} time RFC 3339 */
export function shortTime(time) {
  return time.slice(0, 16).replace('T', ' ')
}
