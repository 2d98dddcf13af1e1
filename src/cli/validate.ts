import { resolve } from 'node:path'
import { Command, Option } from 'commander'
import { kubeletProgram } from '../agent/adapters/kubelet-program.ts'
import { problemsAcross } from '../repo/clusters/dependencies-across.ts'
import { clustersOf, problemsElsewhere } from '../repo/load-fleet.ts'
import type { FleetModel } from '../repo/model.ts'
import { type Problem, problemToJson } from '../repo/problem.ts'
import { skewFacts } from '../rollout/control-plane/skew.ts'
import { CEILING_OPTION, readCeilingFile } from './ceiling/ceiling-file.ts'
import { ceilingProblems } from './ceiling/ceiling-problems.ts'
import type { CliIo } from './cli-io.ts'
import { serverVersionOption } from './control-plane/server-version.ts'
import { skewProblem } from './control-plane/version-problems.ts'
import { asDocument } from './documents.ts'
import type { NamedCluster } from './named-cluster.ts'
import { counted, paintFor } from './paint.ts'
import { problemsToJson } from './problems-json.ts'
import { type JudgedFleet, judgeFiles, problemLines, readFiles, verdict } from './read-fleet.ts'
import { readNodes } from './read-nodes.ts'
import { askKubelets, type Judge, type KubeletVerdict } from './validate/ask-kubelets.ts'
import { oncePerPlace } from './validate/blame.ts'
import { checkedCommitsOption, checkSignatures, commitKeysOption } from './validate/check-signatures.ts'
import { endingCertificates } from './validate/ending-certificates.ts'

interface ValidateOptions extends NamedCluster {
  readonly revision?: string
  readonly kubelet: readonly string[]
  readonly serverVersion: readonly string[]
  readonly ceiling?: string
  readonly nodes?: string
  readonly commitKeys?: string
  readonly since?: string
  readonly output: keyof typeof FORMATS
}

/** What was found in the fleet, and what the kubelets that were asked said of it. */
interface Findings extends JudgedFleet {
  readonly verdicts: readonly KubeletVerdict[]
}

interface ClusterFindings extends Findings {
  readonly name: string
}

/** Of a repository for several clusters. */
interface AllFindings {
  readonly clusters: readonly ClusterFindings[]
  /** Of clusters that wait for each other, and of files that no cluster uses. */
  readonly elsewhere: readonly Problem[]
}

const FORMATS = {
  text: (found: Findings, io: CliIo) => toText(found, io),
  json: (found: Findings) => asDocument(toJson(found), 'json'),
  yaml: (found: Findings) => asDocument(toJson(found), 'yaml'),
} as const

const KUBELET = new Option(
  '--kubelet <path>',
  'kubelet binary that checks the flags and configuration of the pools of its version. Repeat the option for several versions',
)
  .argParser((path: string, earlier: readonly string[]) => [...earlier, path])
  .default([], 'none')

export function validateCommand(io: CliIo, { judge = kubeletProgram() }: { readonly judge?: Judge } = {}): Command {
  return new Command('validate')
    .description('check a fleet repository; print every problem with its file and line')
    .argument('[path]', 'folder of the fleet', '.')
    .option('--revision <rev>', 'commit of the repository. Default: the files in the folder, committed or not')
    .option('--cluster <name>', 'cluster of the repository. Default: each of them')
    .addOption(KUBELET)
    .addOption(serverVersionOption())
    .option('--ceiling <file>', `${CEILING_OPTION}; pools that exceed it are errors`)
    .option(
      '--nodes <file>',
      'file of nodes, as `kubectl get nodes -o json` prints them, that --ceiling is checked for. Default: 100 for each pool',
    )
    .addOption(commitKeysOption())
    .addOption(checkedCommitsOption())
    .addOption(new Option('-o, --output <format>', 'output format').choices(Object.keys(FORMATS)).default('text'))
    .addHelpText('after', '\nExample:\n  $ nodewave validate fleet/ --kubelet /usr/bin/kubelet')
    .action((path: string, options: ValidateOptions) => validate(io, path, { ...options, judge }))
}

async function validate(io: CliIo, path: string, options: ValidateOptions & { readonly judge: Judge }): Promise<void> {
  const { revision, cluster, commitKeys, since, nodes, output } = options
  await checkSignatures(io, { path, revision, commitKeys, since })
  const files = await readFiles(io, { path, revision })
  const clusters = cluster === undefined ? clustersOf(files) : []
  if (clusters.length === 0) {
    const found = await findingsOf(io, judgeFiles(files, { cluster }), options)
    io.stdout(FORMATS[output](found, io))
    return io.exit(found.model === undefined ? 2 : 0)
  }
  if (nodes !== undefined) throw new Error(`--nodes needs --cluster: the repository is for ${clusters.join(', ')}`)
  const found: ClusterFindings[] = []
  for (const name of clusters) found.push({ name, ...(await findingsOf(io, judgeFiles(files, { cluster: name }), options)) })
  const models = found.flatMap(({ model }) => model ?? [])
  const elsewhere = models.length === found.length ? [...problemsAcross(models), ...problemsElsewhere(files, models)] : []
  const all = { clusters: found, elsewhere }
  io.stdout(output === 'text' ? allToText(all, io) : asDocument(allToJson(all), output))
  io.exit(isValid(all) ? 0 : 2)
}

async function findingsOf(
  io: CliIo,
  read: JudgedFleet,
  { serverVersion, kubelet, judge, ceiling, nodes }: ValidateOptions & { readonly judge: Judge },
): Promise<Findings> {
  const judged = await withCeiling(io, withServers(withCertificates(read, io.now()), serverVersion), {
    ...(ceiling && { ceiling }),
    ...(nodes && { nodes }),
  })
  const binaries = kubelet.map((binary) => resolve(io.cwd, binary))
  return binaries.length === 0 ? { ...judged, verdicts: [] } : withKubelets(judged, { binaries, judge })
}

function withCertificates(judged: JudgedFleet, now: number): JudgedFleet {
  const { model } = judged
  return model === undefined ? judged : { ...judged, problems: [...judged.problems, ...endingCertificates(model, now)] }
}

function withServers(judged: JudgedFleet, versions: readonly string[]): JudgedFleet {
  const { model } = judged
  if (model === undefined || versions.length === 0) return judged
  const facts = skewFacts({ nodes: [], instances: [], answers: versions })
  const refused = [...model.pools.values()].flatMap((pool) => skewProblem(pool, facts))
  return { ...judged, model: refused.length > 0 ? undefined : model, problems: [...judged.problems, ...refused] }
}

async function withCeiling(
  io: CliIo,
  judged: JudgedFleet,
  { ceiling: file, nodes }: Pick<ValidateOptions, 'ceiling' | 'nodes'>,
): Promise<JudgedFleet> {
  if (nodes !== undefined && file === undefined)
    throw new Error('--nodes needs --ceiling: nothing else of validate looks at nodes')
  if (file === undefined) return judged
  const { ceiling } = await readCeilingFile(io, file)
  const members = nodes === undefined ? undefined : await readNodes(io, { nodes })
  const exceeded = judged.model === undefined ? [] : ceilingProblems(judged.model, { ceiling, nodes: members })
  return exceeded.length === 0 ? judged : { ...judged, model: undefined, problems: [...judged.problems, ...exceeded] }
}

/** Only a valid fleet is worth a kubelet's time: nothing can be rendered from another. */
async function withKubelets(judged: JudgedFleet, options: Parameters<typeof askKubelets>[1]): Promise<Findings> {
  const { model } = judged
  if (model === undefined) return { ...judged, verdicts: [] }
  const verdicts = await askKubelets(model, options)
  const isRefused = verdicts.some(({ verdict }) => verdict === 'refused')
  const problems = [...judged.problems, ...oncePerPlace(verdicts.flatMap((verdict) => verdict.problems))]
  return { ...judged, model: isRefused ? undefined : model, problems, verdicts }
}

function allToText({ clusters, elsewhere }: AllFindings, io: CliIo): string {
  const paint = paintFor(io)
  const others = problemLines({ problems: elsewhere, renderProblems: [] }, paint)
  return [
    ...clusters.map(({ name, ...found }) => `${paint.bold(`# cluster ${name}`)}\n\n${toText(found, io)}`),
    ...(others.length === 0 ? [] : [`${paint.bold('# all clusters together')}\n\n${others.join('\n\n')}\n`]),
  ].join('\n')
}

function allToJson(all: AllFindings) {
  return {
    valid: isValid(all),
    clusters: all.clusters.map(({ name, ...found }) => ({ cluster: name, ...toJson(found) })),
    problems: all.elsewhere.map(problemToJson),
  }
}

function isValid({ clusters, elsewhere }: AllFindings): boolean {
  return clusters.every(({ model }) => model !== undefined) && elsewhere.every(({ severity }) => severity === 'warning')
}

function toText(found: Findings, io: CliIo): string {
  const paint = paintFor(io)
  const counts = verdict(found)
  const ending =
    found.model === undefined
      ? paint.red(`invalid: ${counts}`)
      : paint.green(`valid: ${contents(found.model)}${counts && `; ${counts}`}`)
  const remarks = found.verdicts.map(({ remark }) => remark)
  return `${[...problemLines(found, paint), ...(remarks.length > 0 ? [remarks.join('\n')] : []), ending].join('\n\n')}\n`
}

function contents({ pools, flagSets, kubeletConfigs, releases, hostProfiles, overrides }: FleetModel): string {
  const parts = {
    NodePool: pools,
    FlagSet: flagSets,
    KubeletConfig: kubeletConfigs,
    KubeletRelease: releases,
    HostProfile: hostProfiles,
  }
  const counts = Object.entries(parts).map(([kind, documents]) => [kind, documents.size] as const)
  const shown = [...counts, ['NodeOverride', overrides.length] as const].filter(([, count]) => count > 0)
  return shown.map(([kind, count]) => counted(count, kind)).join(', ') || 'no NodePool yet'
}

function toJson({ model, problems, renderProblems, verdicts }: Findings) {
  return {
    valid: model !== undefined,
    problems: problemsToJson({ problems, renderProblems }),
    ...(verdicts.length === 0 ? {} : { kubelets: verdicts.map(({ pool, verdict, remark }) => ({ pool, verdict, remark })) }),
  }
}
