import { spawn } from 'node:child_process'
import { ServiceCallKilled } from '../../ports.ts'
import { ENVIRONMENT } from '../run-program.ts'

/** Milliseconds. A service that is slow to stop is waited for as long as systemd waits for one. */
const LONGEST_CALL = 120_000

/** @returns the exit code; -1 when a signal ended it. */
export type Order = (program: string, args: readonly string[]) => Promise<{ readonly code: number; readonly timedOut: boolean }>

/**
 * Runs a program that starts or stops services. Its output goes to /dev/null: a daemon that a script leaves behind keeps what it was given,
 * and must neither hold a pipe to the agent nor fill a file. It gets a session of its own, so that it is no part of the agent's.
 */
export const order: Order = (program, args) =>
  new Promise((resolve, reject) => {
    const child = spawn(program, [...args], { env: ENVIRONMENT, cwd: '/', stdio: 'ignore', detached: true })
    let timedOut = false
    const timer = setTimeout(() => {
      timedOut = true
      child.kill('SIGKILL')
    }, LONGEST_CALL)
    child.on('error', (cause) => {
      clearTimeout(timer)
      reject(new Error(`run "${program}": ${cause.message}`, { cause }))
    })
    child.on('exit', (code) => {
      clearTimeout(timer)
      resolve({ code: code ?? -1, timedOut })
    })
  })

/** @throws when it fails; what it said went to nobody, so the message says how to see it. */
export async function act(run: Order, program: string, args: readonly string[]): Promise<void> {
  const command = [program, ...args].join(' ')
  const { code, timedOut } = await run(program, args)
  if (timedOut) throw new Error(`${command}: no end after ${LONGEST_CALL / 1000} s`)
  if (code === -1) throw new ServiceCallKilled(`${command} was killed`)
  if (code !== 0) throw new Error(`${command}: exit ${code}; run it on the host to see what it says`)
}
