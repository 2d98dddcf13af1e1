// @ts-check

/** @import { PoolView } from '../fleet-view.ts' */

/** What a shell takes as one word: a name that is none gets no command. */
const WORD = /^[a-z0-9][a-z0-9.-]*$/

/**
 * What an operator may want to do with a pool, as the commands for it.
 * @param {Pick<PoolView, 'name' | 'paused'>} pool
 * @returns {readonly string[]}
 */
export function poolCommands({ name, paused }) {
  if (!WORD.test(name)) return []
  const end = paused === 'Fleet' ? 'nodewave resume --all' : `nodewave resume ${name}`
  const pause = paused === '' ? `nodewave pause ${name}` : end
  return [pause, ...['promote', 'retry', 'rollback'].map((verb) => `nodewave ${verb} ${name}`)]
}

/**
 * @param {string} name of a node
 * @returns {readonly string[]}
 */
export function nodeCommands(name) {
  return WORD.test(name) ? [`nodewave hold ${name}`, `nodewave release ${name}`] : []
}
