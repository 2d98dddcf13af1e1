/** The scripts of deploy/ that start the agent: where docs/service-managers.md puts them, and the commands in the head of each. */
import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import type { LayerFile } from '../build/layers.ts'
import { checkout } from '../product/checkout.ts'
import type { Init } from './layers.ts'

interface AgentCommands {
  readonly install: string
  /** `start`, `stop`, `restart` */
  does(verb: string): string
}

export const AGENT_COMMANDS: Readonly<Record<Init['manager'], AgentCommands>> = {
  openrc: {
    install: 'rc-update add nodewave-agent default && rc-service nodewave-agent start',
    does: (verb) => `rc-service nodewave-agent ${verb}`,
  },
  runit: {
    install: 'ln -s /etc/sv/nodewave-agent /etc/service/',
    does: (verb) => `sv -w 150 ${verb} /etc/service/nodewave-agent`,
  },
  sysvinit: {
    install: 'update-rc.d nodewave-agent defaults && service nodewave-agent start',
    does: (verb) => `service nodewave-agent ${verb}`,
  },
}

/** @param bundle path of the agent's one file */
export async function agentFiles({ manager }: Init, bundle: string): Promise<LayerFile[]> {
  const isRunit = manager === 'runit'
  const scripts = isRunit ? ['nodewave-agent/run', 'nodewave-agent/log/run'] : ['nodewave-agent']
  const files = scripts.map(async (file) => ({
    path: join(isRunit ? '/etc/sv' : '/etc/init.d', file),
    content: await readFile(join(checkout, 'deploy', manager, file), 'utf8'),
    mode: 0o755,
  }))
  return [{ path: '/opt/nodewave/current/nodewave-agent.mjs', content: { file: bundle } }, ...(await Promise.all(files))]
}
