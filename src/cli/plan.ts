import { resolve } from 'node:path'
import { Command, Option } from 'commander'
import { kubeletProgram } from '../agent/adapters/kubelet-program.ts'
import { CEILING_OPTION } from './ceiling/ceiling-file.ts'
import { type ChangeOptions, readChange, withChangeOptions } from './change.ts'
import type { CliIo } from './cli-io.ts'
import { withClusterOptions } from './cluster.ts'
import { prefixOption } from './controls/hold.ts'
import { asDocument } from './documents.ts'
import { foldAt, paintFor } from './paint.ts'
import { planEachCluster } from './plan/each-cluster.ts'
import { TOKEN_VARIABLE } from './plan/forge-clients.ts'
import type { JudgedChange, KubeletOptions } from './plan/judge-change.ts'
import { makePlan } from './plan/make-plan.ts'
import type { PullRequestOptions } from './plan/plan-pull-request.ts'
import { planMarkdown } from './plan-markdown.ts'
import { planText } from './plan-text.ts'
import { hasChanges, hasErrors, type PlanView } from './plan-view.ts'
import type { Judge } from './validate/ask-kubelets.ts'
import { checkedCommitsOption, checkSignatures, commitKeysOption } from './validate/check-signatures.ts'

interface PlanOptions extends ChangeOptions, Partial<PullRequestOptions> {
  readonly output: keyof typeof FORMATS
  readonly annotationPrefix: string
  readonly ceiling?: string
  readonly commitKeys?: string
  readonly since?: string
  readonly kubelet?: readonly string[]
  readonly allClusters?: true
}

const FORMATS = {
  text: (view: PlanView, io: CliIo) => planText(view, { paint: paintFor(io), columns: foldAt(io) }),
  markdown: (view: PlanView) => planMarkdown(view),
  json: (view: PlanView) => asDocument(view, 'json'),
  yaml: (view: PlanView) => asDocument(view, 'yaml'),
} as const

const CLUSTER_HEADINGS = {
  text: (cluster: string) => `# cluster ${cluster}\n\n`,
  markdown: (cluster: string) => `## Cluster ${cluster}\n\n`,
  json: () => '',
  yaml: () => '',
} as const

export function planCommand(io: CliIo, { judge = kubeletProgram() }: { readonly judge?: Judge } = {}): Command {
  return withChangeOptions(withClusterOptions(new Command('plan')))
    .description('show what a change of the repository does to the nodes; exit code 0: no change, 1: changes, 2: an error')
    .addOption(new Option('-o, --output <format>', 'output format').choices(Object.keys(FORMATS)).default('text'))
    .addOption(prefixOption())
    .option('--ceiling <file>', `${CEILING_OPTION}. Default: that of the cluster`)
    .addOption(
      new Option(
        '--pr [url]',
        `plan a pull request, comment on it and set a status; exit code 0: it can be rolled out, 2: it cannot. ` +
          `The token is read from ${TOKEN_VARIABLE}. Default of the URL: the pull request of the CI job`,
      ).conflicts(['from', 'to', 'fakeNodes']),
    )
    .option(
      '--pr-context <text>',
      'name of the comment and the status; one for each cluster. Default: nodewave/plan, and nodewave/plan/NAME with --cluster',
    )
    .addOption(
      new Option(
        '--all-clusters',
        'plan every cluster of the repository; --nodes is then a folder with a file NAME.json for each cluster',
      ).conflicts(['cluster', 'pr', 'fakeNodes']),
    )
    .option(
      '--kubelet <path>',
      'with --pr: kubelet binary that checks the flags and configuration of the pools of its version; what it refuses fails the verdict. Repeat the option for several versions',
      (binary: string, earlier: readonly string[] = []) => [...earlier, binary],
    )
    .addOption(commitKeysOption().conflicts('pr'))
    .addOption(checkedCommitsOption())
    .option('--insecure-http', 'send the token to an http:// URL too', false)
    .addHelpText(
      'after',
      '\nExample:\n  $ nodewave plan fleet/ --from main --to HEAD -o markdown\n  $ nodewave plan fleet/ --pr --nodes nodes.json',
    )
    .action((path: string, options: PlanOptions) =>
      options.allClusters
        ? planClusters(io, path, options)
        : options.pr === undefined
          ? planHere(io, path, options)
          : planThere(io, path, { ...options, judge, pr: options.pr }),
    )
}

async function planHere(io: CliIo, path: string, options: PlanOptions): Promise<void> {
  if (options.kubelet) throw new Error('--kubelet needs --pr; without a pull request: nodewave validate --kubelet')
  await checkPlanned(io, path, options)
  const change = await readChange(io, { path, options, warnOfConflicts: true })
  const names = { from: options.from, to: options.to ?? 'working tree' }
  const view = await makePlan(io, { change, options, names })
  io.stdout(FORMATS[options.output](view, io))
  io.exit(hasErrors(view) ? 2 : hasChanges(view) ? 1 : 0)
}

async function planClusters(io: CliIo, path: string, options: PlanOptions): Promise<void> {
  await checkPlanned(io, path, options)
  const plans = await planEachCluster(io, path, options)
  const { output } = options
  const text = plans.map(({ cluster, view }) => CLUSTER_HEADINGS[output](cluster) + FORMATS[output](view, io))
  const document = { clusters: plans.map(({ cluster, view }) => ({ cluster, ...view })) }
  io.stdout(output === 'json' || output === 'yaml' ? asDocument(document, output) : text.join('\n'))
  const views = plans.map(({ view }) => view)
  io.exit(views.some(hasErrors) ? 2 : views.some(hasChanges) ? 1 : 0)
}

/** Files that are not committed have no signature. */
async function checkPlanned(io: CliIo, path: string, { to: revision, commitKeys, since }: PlanOptions): Promise<void> {
  if (commitKeys !== undefined && revision === undefined) throw new Error('--commit-keys needs --to: only commits are signed')
  await checkSignatures(io, { path, revision, commitKeys, since })
}

/** What the forge needs is loaded only then. */
async function planThere(
  io: CliIo,
  path: string,
  options: PlanOptions & Pick<PullRequestOptions, 'pr'> & KubeletOptions,
): Promise<void> {
  const { planPullRequest } = await import('./plan/plan-pull-request.ts')
  const { cluster, prContext = cluster === undefined ? 'nodewave/plan' : `nodewave/plan/${cluster}`, ...rest } = options
  const kubelet = rest.kubelet?.map((binary) => resolve(io.cwd, binary))
  const others = { ...rest, cluster, ...(kubelet && { kubelet }) }
  const judged = await planPullRequest(io, { path, options: { ...others, prContext } })
  io.stdout(judgedText(io, judged, options.output))
  io.exit(judged.verdict.passes ? 0 : 2)
}

function judgedText(io: CliIo, { view, details, verdict, problems = [] }: JudgedChange, output: PlanOptions['output']): string {
  if (output === 'markdown') return details
  if (view !== undefined) return FORMATS[output](view, io)
  if (output === 'text') return details
  return asDocument({ [verdict.passes ? 'note' : 'error']: verdict.text, problems }, output)
}
