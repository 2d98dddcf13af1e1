import type { Command } from 'commander'
import type { FleetModel } from '../repo/model.ts'
import type { CliIo } from './cli-io.ts'
import { serverVersionOption } from './control-plane/server-version.ts'
import { readFleet } from './read-fleet.ts'
import type { NodeSource } from './read-nodes.ts'

/** From what to what, and which nodes it meets. */
export interface ChangeOptions extends NodeSource {
  readonly from: string
  readonly to?: string
  readonly serverVersion: readonly string[]
}

/** For commands about a change of the repository. */
export function withChangeOptions(command: Command): Command {
  return command
    .argument('[path]', 'folder of the fleet', '.')
    .option('--from <rev>', 'the commit that the nodes run now', 'HEAD')
    .option('--to <rev>', 'the commit to change to. Default: the files in the folder, committed or not')
    .option(
      '--nodes <file>',
      'file of nodes, as `kubectl get nodes -o json` prints them, or "-" for stdin. Default: the nodes of the cluster',
    )
    .addOption(serverVersionOption())
}

export interface FleetChange {
  readonly from: FleetModel
  readonly to: FleetModel
}

/** Both ends, the newer one first: undefined when there is an error in one, which is then told and the exit code set. */
export async function readChange(
  io: CliIo,
  { path, options, ...reading }: { readonly path: string; readonly options: ChangeOptions; readonly warnOfConflicts?: true },
): Promise<FleetChange | undefined> {
  const to = await readFleet(io, { path, revision: options.to, ...reading })
  const from = to && (await readFleet(io, { path, revision: options.from }))
  return from && { from, to }
}
