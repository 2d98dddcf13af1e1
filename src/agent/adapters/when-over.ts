import type { ChildProcess } from 'node:child_process'

/** Characters that what is awaited may have when it comes in parts. */
const LONGEST_LAST = 1024

/** Calls once when a program has ended and its stdout is complete. Nothing more is awaited of a program that a signal ended. */
export function whenOver(child: ChildProcess, until: ((stdout: string) => boolean) | undefined, call: () => void): void {
  if (until === undefined) {
    child.on('exit', call)
    return
  }
  let last = ''
  let [hasEnded, isComplete, isOver] = [false, false, false]
  const look = (): void => {
    if (isOver || !hasEnded || !isComplete) return
    isOver = true
    call()
  }
  child.stdout?.on('data', (text: string) => {
    const end = `${last}${text}`
    // A daemon that is left may write behind it.
    isComplete ||= until(end)
    last = end.slice(-LONGEST_LAST)
    look()
  })
  child.on('exit', (code) => {
    hasEnded = true
    isComplete ||= code === null
    look()
  })
}
