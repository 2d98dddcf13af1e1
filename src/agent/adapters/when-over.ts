import type { ChildProcess } from 'node:child_process'
import type { RunOptions } from './run-program.ts'

/** Characters. */
const LONGEST_LAST_WORD = 1024

/**
 * Calls once when a program has ended and its output is complete by `until`. A program that a signal ended says nothing more of what it
 * waited for.
 */
export function whenOver(child: ChildProcess, until: RunOptions['until'], call: () => void): void {
  let last = ''
  let [hasEnded, isOver] = [false, false]
  const look = (): void => {
    if (isOver || !hasEnded || (until !== undefined && !until(last))) return
    isOver = true
    call()
  }
  if (until !== undefined)
    child.stdout?.on('data', (text: string) => {
      last = `${last}${text}`.slice(-LONGEST_LAST_WORD)
      look()
    })
  child.on('exit', (code) => {
    hasEnded = true
    if (code !== null) return look()
    isOver = true
    call()
  })
}
