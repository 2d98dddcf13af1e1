/** The agent in a node, as its documentation installs it: one file and a systemd unit, beside the Node.js that every node has. */
import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import type { Node } from '../cluster/node.ts'
import { checkout } from './checkout.ts'

const directory = '/opt/nodewave/current'
export const agentUnit = 'nodewave-agent'
export const agentProgram = `${directory}/nodewave-agent.mjs`

export interface AgentOptions {
  /** Path of the bundle. */
  readonly bundle: string
  /** Besides those of the unit. */
  readonly args?: readonly string[]
}

/** Put the agent into a node and start it, with the unit that the manifests have. */
export async function installAgent(node: Node, { bundle, args = [] }: AgentOptions): Promise<void> {
  const unit = await readFile(join(checkout, `deploy/${agentUnit}.service`), 'utf8')
  await node.write({ path: agentProgram, content: { file: bundle } })
  await node.write({ path: `/etc/systemd/system/${agentUnit}.service`, content: unit })
  await writeContainerDropIn(node)
  if (args.length > 0) await node.write({ path: `/etc/systemd/system/${agentUnit}.service.d/args.conf`, content: dropIn(args) })
  await node.exec(['systemctl', 'daemon-reload'])
  await node.exec(['systemctl', 'enable', '--now', '--quiet', agentUnit])
}

/** With it, systemd 252 mounts /proc again, and what a container has there is gone: its boot id. */
const OF_A_CONTAINER = '[Service]\nProtectControlGroups=no\n'

export async function writeContainerDropIn(node: Node): Promise<void> {
  await node.write({ path: `/etc/systemd/system/${agentUnit}.service.d/container.conf`, content: OF_A_CONTAINER })
}

function dropIn(args: readonly string[]): string {
  return `[Service]\nEnvironment="NODEWAVE_AGENT_OPTIONS=${args.join(' ')}"\n`
}
