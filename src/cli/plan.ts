import { Command, Option } from 'commander'
import { planFleet } from '../render/plan-fleet.ts'
import type { CliIo } from './cli-io.ts'
import { withClusterOptions } from './cluster.ts'
import { readControlPlane } from './control-plane/read-control-plane.ts'
import { readPast } from './control-plane/read-past.ts'
import { serverVersionOption } from './control-plane/server-version.ts'
import { asDocument } from './documents.ts'
import { paintFor } from './paint.ts'
import { planMarkdown } from './plan-markdown.ts'
import { planText } from './plan-text.ts'
import { hasChanges, hasErrors, type PlanView, viewPlan } from './plan-view.ts'
import { readFleet } from './read-fleet.ts'
import { type NodeSource, readNodes } from './read-nodes.ts'
import { estimate } from './simulate/estimate.ts'

interface PlanOptions extends NodeSource {
  readonly serverVersion: readonly string[]
  readonly from: string
  readonly to?: string
  readonly output: keyof typeof FORMATS
}

const FORMATS = {
  text: (view: PlanView, io: CliIo) => planText(view, { paint: paintFor(io), columns: io.columns }),
  markdown: (view: PlanView) => planMarkdown(view),
  json: (view: PlanView) => asDocument(view, 'json'),
  yaml: (view: PlanView) => asDocument(view, 'yaml'),
} as const

export function planCommand(io: CliIo): Command {
  return withClusterOptions(new Command('plan'))
    .description('what a change of the repository would do to the nodes: exit code 0 nothing, 1 changes, 2 an error')
    .argument('[path]', 'folder of the fleet', '.')
    .option('--from <rev>', 'the commit that the nodes are at', 'HEAD')
    .option('--to <rev>', 'the commit to come; otherwise what lies in the folder, committed or not')
    .option(
      '--nodes <file>',
      'nodes, as `kubectl get nodes -o json` prints them, or "-" for stdin; otherwise those of the cluster',
    )
    .addOption(serverVersionOption())
    .addOption(new Option('-o, --output <format>', 'how to tell').choices(Object.keys(FORMATS)).default('text'))
    .addHelpText('after', '\nExample:\n  $ nodewave plan fleet/ --from main --to HEAD -o markdown')
    .action(async (path: string, options: PlanOptions) => {
      const to = await readFleet(io, { path, revision: options.to, warnOfConflicts: true })
      const from = to && (await readFleet(io, { path, revision: options.from }))
      if (to === undefined || from === undefined) return
      const nodes = await readNodes(io, options)
      const controlPlane = await readControlPlane(io, options)
      const hasRun = await readPast(io, options)
      const names = { from: options.from, to: options.to ?? 'working tree' }
      const view = viewPlan(planFleet({ from, to, nodes }), { before: from, model: to, nodes, controlPlane, hasRun, ...names })
      const roughly = hasErrors(view) || !hasChanges(view) ? undefined : await estimate(io, { path, options, model: to, nodes })
      io.stdout(FORMATS[options.output]({ ...view, ...(roughly !== undefined && { estimate: roughly }) }, io))
      io.exit(hasErrors(view) ? 2 : hasChanges(view) ? 1 : 0)
    })
}
