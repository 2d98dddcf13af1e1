import type { ActionOutcome, PageAction } from '../../dashboard/page-action.ts'
import type { CliIo } from '../cli-io.ts'
import type { ClusterFlags } from '../cluster.ts'
import { runProgram } from '../program.ts'

const WITH_REASON: readonly string[] = ['pause', 'hold']

interface Where extends ClusterFlags {
  /** Of the controller. */
  readonly namespace: string
}

/** The command that the page shows, as if it were typed: it judges the same, says the same, and has the rights of the same kubeconfig. */
export async function runAction(
  io: CliIo,
  { words, reason }: PageAction,
  { kubeconfig, context, namespace }: Where,
): Promise<ActionOutcome> {
  const [printed, codes]: [string[], number[]] = [[], []]
  const options = [
    `--namespace=${namespace}`,
    ...(reason !== '' && WITH_REASON.includes(words[0]) ? [`--reason=${reason}`] : []),
    ...(kubeconfig === undefined ? [] : [`--kubeconfig=${kubeconfig}`]),
    ...(context === undefined ? [] : [`--context=${context}`]),
  ]
  const print = (text: string) => void printed.push(text)
  const { cwd, env, now } = io
  const quiet = { cwd, env, now, isTTY: false, showsProgress: false, color: false, columns: 80, rows: 24 }
  await runProgram([...words, ...options], { ...quiet, stdout: print, stderr: print, exit: (code) => void codes.push(code) })
  return { isDone: codes.at(-1) === 0, text: printed.join('').trim() }
}
