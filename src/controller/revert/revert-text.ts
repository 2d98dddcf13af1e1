import { cutLines } from '../../forge/pull-request/cut-lines.ts'
import { code, escaped } from '../../forge/pull-request/markdown.ts'
import type { RequestText } from '../../forge/revert/revert-requests.ts'
import { foreignText } from '../../protocol/foreign-text.ts'
import { shortRevision } from '../../protocol/revision-id.ts'
import type { FailedPool } from './failed-commits.ts'

export interface RevertSubject {
  /** What the names of statuses begin with: it names the cluster. */
  readonly context: string
  /** That failed, and the one that is brought back. */
  readonly commit: string
  readonly good: string
  readonly paths: readonly string[]
  readonly pools: readonly FailedPool[]
  /** Of them, those that the change does not bring back. */
  readonly unrepaired: readonly string[]
}

const DIGITS = 12
const LONGEST_LINE = 2000
const MOST_LINES = 20
/** Bytes. GitHub takes 65,536 characters, and a line is added when it is closed. */
const LONGEST_BODY = 60_000

/** A name for one commit and cluster, so that there is one pull request, whoever leads. */
export function branchOf({ context, commit }: Pick<RevertSubject, 'context' | 'commit'>): string {
  const [first = '', ...rest] = context.split('/')
  const parts = first === 'nodewave' ? rest : [first, ...rest]
  return ['nodewave/revert', ...parts, shortRevision(commit, DIGITS)].join('-').replace(/\.{2,}|[^A-Za-z0-9/._-]/g, '-')
}

/** It distinguishes nodewave's own pull requests from others. */
export function markerOf({ context, commit }: Pick<RevertSubject, 'context' | 'commit'>): string {
  return `<!-- nodewave revert: ${context} ${commit} -->`
}

/** Pure. Text of the repository and of agents becomes no markup, no link and no mention. */
export function revertText(subject: RevertSubject): RequestText {
  const { commit, good, paths, pools, unrepaired } = subject
  const named = pools.map(({ pool }) => pool.name)
  const title = `Revert ${shortRevision(commit, DIGITS)}: it failed in ${named.slice(0, 3).join(', ')}${named.length > 3 ? ', …' : ''}`
  const what = `Commit ${commit} failed. This change restores the files below as they were at ${good}.`
  const details = [...pools.map(failureText), `Files:\n\n${listed(paths.map(code))}`]
  if (unrepaired.length > 0) details.push(`It does not bring back all that ${listOf(unrepaired)} ran before.`)
  const [before, after] = [`${markerOf(subject)}\n\n${what}\n\n`, `\n\n${whatNodesRun(pools)}${BY_WHOM}\n`]
  const room = LONGEST_BODY - Buffer.byteLength(before + after)
  return { title, body: before + cutLines(details.join('\n\n'), { room, notice: CUT }) + after }
}

const BY_WHOM = 'Opened by the controller of nodewave, which closes it when the pools are Ready at another commit.'
const CUT = '\n\n**The rest is left out: the text would be too long.** The whole is in the status of each NodePool.'

/** A pool that stops leaves nodes with what failed. */
function whatNodesRun(pools: readonly FailedPool[]): string {
  const stopped = pools.filter(({ goesBack }) => !goesBack).map(({ pool }) => pool.name)
  const back = 'Pools return to what they completed before. A merge makes the repository say so, too. '
  if (stopped.length === 0) return back
  return `${stopped.length < pools.length ? back : ''}${listOf(stopped)}: stopped where it was, so nodes may still run what failed until a merge. `
}

function listOf(pools: readonly string[]): string {
  const more = pools.length > MOST_LINES ? ` and ${pools.length - MOST_LINES} more` : ''
  return pools.slice(0, MOST_LINES).map(code).join(', ') + more
}

function failureText({ pool, message, nodes }: FailedPool): string {
  const lines = nodes.map(({ node, reason, message }) => `${node}: ${reason}: ${message}`)
  const shown = (lines.length > 0 ? lines : [message]).map((line) => code(foreignText(line, LONGEST_LINE)))
  return `Pool ${code(pool.name)}:\n\n${listed(shown)}`
}

function listed(lines: readonly string[]): string {
  const more = lines.length > MOST_LINES ? [`and ${lines.length - MOST_LINES} more`] : []
  return [...lines.slice(0, MOST_LINES), ...more].map((line) => `- ${line}`).join('\n')
}

/** What is added when it is closed. */
export function closedText(body: string, head: string): string {
  return `${body.trimEnd()}\n\nClosed by the controller of nodewave: the pools are Ready at ${escaped(head)}.\n`
}
