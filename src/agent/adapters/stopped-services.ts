import type { InstallHost } from '../install/install-host.ts'
import { AGENT_UNIT_FILE, AGENT_WANTED } from '../install/paths.ts'
import type { HostFiles } from '../ports.ts'

/** The agent's service on a host that does not run: a file, and the link that has systemd start it at boot. */
export function stoppedServices(files: Pick<HostFiles, 'stat' | 'link' | 'remove'>): InstallHost['services'] {
  const nothing = async (): Promise<void> => {}
  return {
    show: async () => {
      const exists = (await files.stat(AGENT_UNIT_FILE)) !== undefined
      const enabled = (await files.stat(AGENT_WANTED)) !== undefined
      const process = { active: 'inactive' as const, mainPid: 0, restarts: 0, runningFor: 0, lastExit: 0 }
      return { exists, isGone: !exists, enabled, isStatic: false, ...process }
    },
    enable: () => files.link(AGENT_WANTED, AGENT_UNIT_FILE),
    disable: () => files.remove(AGENT_WANTED),
    start: nothing,
    restart: nothing,
    stop: nothing,
    reload: nothing,
    lastWords: async () => [],
  }
}
