import { Command, Option } from 'commander'
import { planFleet } from '../render/plan-fleet.ts'
import { CEILING_OPTION, readCeilingFile } from './ceiling/ceiling-file.ts'
import { readCeiling } from './ceiling/read-ceiling.ts'
import { type ChangeOptions, readChange, withChangeOptions } from './change.ts'
import type { CliIo } from './cli-io.ts'
import { withClusterOptions } from './cluster.ts'
import { readControlPlane } from './control-plane/read-control-plane.ts'
import { readPast } from './control-plane/read-past.ts'
import { asDocument } from './documents.ts'
import { foldAt, paintFor } from './paint.ts'
import { planMarkdown } from './plan-markdown.ts'
import { planText } from './plan-text.ts'
import { hasChanges, hasErrors, type PlanView, viewPlan } from './plan-view.ts'
import { readNodes } from './read-nodes.ts'
import { estimate } from './simulate/estimate.ts'

interface PlanOptions extends ChangeOptions {
  readonly output: keyof typeof FORMATS
  readonly ceiling?: string
}

const FORMATS = {
  text: (view: PlanView, io: CliIo) => planText(view, { paint: paintFor(io), columns: foldAt(io) }),
  markdown: (view: PlanView) => planMarkdown(view),
  json: (view: PlanView) => asDocument(view, 'json'),
  yaml: (view: PlanView) => asDocument(view, 'yaml'),
} as const

export function planCommand(io: CliIo): Command {
  return withChangeOptions(withClusterOptions(new Command('plan')))
    .description('show what a change of the repository does to the nodes; exit code 0: no change, 1: changes, 2: an error')
    .addOption(new Option('-o, --output <format>', 'output format').choices(Object.keys(FORMATS)).default('text'))
    .option('--ceiling <file>', `${CEILING_OPTION}. Default: that of the cluster`)
    .addHelpText('after', '\nExample:\n  $ nodewave plan fleet/ --from main --to HEAD -o markdown')
    .action(async (path: string, options: PlanOptions) => {
      const change = await readChange(io, { path, options, warnOfConflicts: true })
      if (change === undefined) return
      const { from, to } = change
      const nodes = await readNodes(io, options)
      const controlPlane = await readControlPlane(io, options)
      const hasRun = await readPast(io, options)
      const ceiling = await (options.ceiling === undefined ? readCeiling(io, options) : readCeilingFile(io, options.ceiling))
      const names = { from: options.from, to: options.to ?? 'working tree' }
      const view = viewPlan(planFleet({ from, to, nodes }), {
        before: from,
        model: to,
        nodes,
        controlPlane,
        hasRun,
        ceiling,
        ...names,
      })
      const roughly = hasErrors(view) || !hasChanges(view) ? undefined : await estimate(io, { path, options, model: to, nodes })
      io.stdout(FORMATS[options.output]({ ...view, ...(roughly !== undefined && { estimate: roughly }) }, io))
      io.exit(hasErrors(view) ? 2 : hasChanges(view) ? 1 : 0)
    })
}
