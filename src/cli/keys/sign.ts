import { resolve } from 'node:path'
import { Command } from 'commander'
import type { KubeObject } from '../../kube/kube-api.ts'
import { parseAgentStatus } from '../../protocol/agent-status.ts'
import { nextCounter, readSigningKey, signAssignment } from '../../protocol/assignment-signature.ts'
import { type DesiredConfig, formatDesiredConfig, parseDesiredConfig } from '../../protocol/desired-config.ts'
import { namesFor } from '../../protocol/names.ts'
import type { CliIo } from '../cli-io.ts'
import { type ClusterFlags, connectTo, withClusterOptions } from '../cluster.ts'
import { prefixOption } from '../controls/hold.ts'
import { readKeyFile } from './read-key-file.ts'

interface Flags extends ClusterFlags {
  readonly key: string
  readonly annotationPrefix: string
}

export function signCommand(io: CliIo): Command {
  return withClusterOptions(new Command('sign'))
    .description('sign a desired-config for one node, to assign it by hand where nodes trust signed assignments only')
    .argument('<node>', 'name of the node')
    .argument('<json>', 'the desired-config: what the node is to become')
    .requiredOption('--key <file>', 'file with the ed25519 private key, as PEM')
    .addOption(prefixOption())
    .addHelpText(
      'after',
      '\nExample:\n  $ nodewave keys sign worker-3 \'{"KUBELET_OPTS":"--v=4"}\' --key keys/nodewave-6dcef81990374cba.key',
    )
    .action((node: string, text: string, flags: Flags) => sign(io, { node, text, flags }))
}

async function sign(
  io: CliIo,
  { node, text, flags }: { readonly node: string; readonly text: string; readonly flags: Flags },
): Promise<void> {
  const by = await readKeyFile(resolve(io.cwd, flags.key), readSigningKey)
  const desired = parseDesiredConfig(text)
  const kube = await connectTo(io, flags)
  const { metadata } = await kube.get<KubeObject>(`/api/v1/nodes/${encodeURIComponent(node)}`)
  const { annotations = {}, uid = '' } = metadata
  const names = namesFor(flags.annotationPrefix)
  const { COUNTER: assigned } = readable(annotations[names.desiredConfig])
  const accepted = parseAgentStatus(annotations[names.status])?.counter
  const COUNTER = nextCounter({ assigned, accepted }, io.now())
  io.stdout(`${formatDesiredConfig(signAssignment({ ...desired, COUNTER }, { node: uid, by }))}\n`)
}

function readable(text: string | undefined): DesiredConfig {
  try {
    return text === undefined ? {} : parseDesiredConfig(text)
  } catch {
    return {}
  }
}
