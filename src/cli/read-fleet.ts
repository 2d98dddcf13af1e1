import { createHash } from 'node:crypto'
import { resolve } from 'node:path'
import { readCommit } from '../gitsync/read-commit.ts'
import type { SnapshotCache } from '../gitsync/snapshot-cache.ts'
import { readWorkingTree } from '../gitsync/working-tree.ts'
import type { RepoFile, RepoSnapshot } from '../protocol/repo-snapshot.ts'
import { checkModel } from '../render/check-model.ts'
import type { RenderProblem } from '../render/render-problem.ts'
import type { ClusterChoice } from '../repo/clusters/choose-cluster.ts'
import { loadFleet } from '../repo/load-fleet.ts'
import type { FleetModel, Location } from '../repo/model.ts'
import { formatLocation, formatProblem, type Place, type Problem } from '../repo/problem.ts'
import type { CliIo } from './cli-io.ts'
import { InvalidFleetError } from './invalid-fleet-error.ts'
import type { NamedCluster } from './named-cluster.ts'
import { counted, type Paint, paintFor } from './paint.ts'
import { problemsToJson } from './problems-json.ts'

/** A fleet repository, read and judged. */
export interface JudgedFleet {
  /** Absent when there is an error. */
  readonly model?: FleetModel | undefined
  readonly problems: readonly Problem[]
  /** Of a model that can be read but not rendered. */
  readonly renderProblems: readonly RenderProblem[]
}

export interface FleetSource extends NamedCluster {
  readonly path: string
  /** Of the repository that the path is in; absent: what lies in the folder, committed or not. */
  readonly revision?: string | undefined
}

export async function judgeFleet(io: CliIo, { cluster, ...source }: FleetSource): Promise<JudgedFleet> {
  return judgeFiles(await readFiles(io, source), { cluster })
}

/** @param load to share what was read with another commit */
export function judgeFiles(files: RepoSnapshot['files'], choice: ClusterChoice = {}, load = loadFleet): JudgedFleet {
  const { model, problems } = load(files, choice)
  const renderProblems = model === undefined ? [] : checkModel(model)
  return { model: renderProblems.length > 0 ? undefined : model, problems, renderProblems }
}

/** The model, for commands that need a valid one. @throws {InvalidFleetError} */
export async function readFleet(io: CliIo, source: FleetSource): Promise<FleetModel> {
  return validModel(io, await judgeFleet(io, source), source)
}

/** The same of files that were read. @throws {InvalidFleetError} */
export function validModel(
  io: CliIo,
  judged: JudgedFleet,
  { revision, cluster, warnOfConflicts: warns }: Omit<FleetSource, 'path'> & { readonly warnOfConflicts?: true },
): FleetModel {
  if (judged.model !== undefined && warns) warnOfConflicts(io, judged)
  if (judged.model !== undefined) return judged.model
  const whose = `${cluster === undefined ? '' : ` for cluster "${cluster}"`}${revision === undefined ? '' : ` at ${revision}`}`
  const { lines, sum } = errorsOf(judged)
  const message = `the fleet is invalid${whose}: ${sum}`
  throw new InvalidFleetError(message, { text: `${lines.join('\n\n')}\n\n${message}\n`, problems: problemsToJson(judged) })
}

/** Of what is wrong, without the warnings: an entry each, and how many they are. */
export function errorsOf(judged: JudgedFleet): { readonly lines: readonly string[]; readonly sum: string } {
  const errors = { ...judged, problems: judged.problems.filter(({ severity }) => severity === 'error') }
  return { lines: problemLines(errors, paintFor({ color: false })), sum: verdict(errors) }
}

/** What is taken from one place though another says otherwise: it changes what nodes become. */
function warnOfConflicts(io: CliIo, { problems }: JudgedFleet): void {
  const conflicts = problems.filter(({ severity, reason }) => severity === 'warning' && reason === 'Conflict')
  for (const problem of conflicts) io.stderr(`${formatProblem(problem)}\n\n`)
}

/**
 * One entry a problem, with the line it stands in; each may be several lines long. Errors come last, just above the verdict: that is where
 * people look. A warning that a file has many times is one entry.
 */
export function problemLines({ problems, renderProblems }: JudgedFleet, paint: Paint): string[] {
  const errors = problems.filter(({ severity }) => severity === 'error')
  const warnings = problems.filter(({ severity }) => severity === 'warning')
  return [
    ...alike(warnings).map((group) => withColoredCaret(groupText(group), paint.yellow)),
    ...errors.map((problem) => withColoredCaret(formatProblem(problem), paint.red)),
    ...renderProblems.map((problem) => withColoredCaret(renderProblemText(problem), paint.red)),
  ]
}

/** Shown one by one. */
const MOST_ALIKE = 2

/** Those of one file with one remedy, in the order of the first of each. */
function alike(problems: readonly Problem[]): readonly (readonly [Problem, ...Problem[]])[] {
  const groups = new Map<string, [Problem, ...Problem[]]>()
  problems.forEach((problem, index) => {
    const { at, reason, remedy } = problem
    const key = JSON.stringify(remedy === undefined ? index : [at.file, reason, remedy])
    const group = groups.get(key)
    if (group) group.push(problem)
    else groups.set(key, [problem])
  })
  return [...groups.values()].flatMap((group): [Problem, ...Problem[]][] =>
    group.length > MOST_ALIKE ? [group] : group.map((problem) => [problem]),
  )
}

function groupText([first, ...others]: readonly [Problem, ...Problem[]]): string {
  if (others.length === 0) return formatProblem(first)
  return `${formatProblem(first)}\n  and ${others.length} more like it: lines ${others.map(({ at }) => at.line).join(', ')}`
}

/** Like a problem of loading: the first place with the line that stands there. */
export function renderProblemText({ message, where: [first, ...others] }: RenderProblem): string {
  const told =
    first === undefined
      ? `  ${message}`
      : formatProblem({ severity: 'error', reason: 'InvalidValue', at: placeOf(first), message })
  return [told, ...others.map((place) => `  see also ${formatLocation(place)}`)].join('\n')
}

/** Models that were read from files know the lines too. */
export function placeOf(location: Location): Place {
  return { text: '', width: 0, ...location }
}

/** `2 errors, 1 warning` */
export function verdict({ problems, renderProblems }: JudgedFleet): string {
  const warnings = problems.filter(({ severity }) => severity === 'warning').length
  const errors = problems.length - warnings + renderProblems.length
  return [...(errors > 0 ? [counted(errors, 'error')] : []), ...(warnings > 0 ? [counted(warnings, 'warning')] : [])].join(', ')
}

function withColoredCaret(text: string, color: (text: string) => string): string {
  return text.replace(/^( *)(\^+)$/m, (_, indent: string, carets: string) => indent + color(carets))
}

export async function readFiles(io: CliIo, source: Omit<FleetSource, 'cluster'>): Promise<ReadonlyMap<string, RepoFile>> {
  const path = resolve(io.cwd, source.path)
  const { revision } = source
  return revision === undefined ? readWorkingTree(path) : (await readCommit(path, revision)).files
}

/** The files as a commit; what is not committed gets an id of its own, by its content. */
export async function readSnapshot(
  io: CliIo,
  source: { path: string; revision?: string | undefined; cache?: SnapshotCache },
): Promise<RepoSnapshot> {
  const path = resolve(io.cwd, source.path)
  if (source.revision !== undefined) return readCommit(path, source.revision, source.cache)
  const files = await readWorkingTree(path)
  const author = { name: '', email: '' }
  return { commit: contentId(files), author, committedAt: 0, message: 'working tree', parents: [], files }
}

function contentId(files: ReadonlyMap<string, RepoFile>): string {
  const hash = createHash('sha1')
  for (const [path, file] of files) hash.update(`${path}\0${file.kind}\0`).update(file.kind === 'file' ? file.bytes : '')
  return hash.digest('hex')
}
