import { statePaths } from '../paths.ts'
import type { InstallHost } from './install-host.ts'
import { AGENT_DROP_IN, AGENT_UNIT, AGENT_UNIT_FILE, INSTALL_DIRECTORY, PARTIAL_FOLDER } from './paths.ts'
import { removeLinks, removePartial, removeVersion, versionsOf } from './versions.ts'

/**
 * Takes away what `install` and the agent made. What the administrator wrote stays: /etc/nodewave, other drop-ins of the unit.
 * @throws when the host still is as nodewave made it: only the agent can give back what it had
 */
export async function uninstall(stateDirectory: string, host: InstallHost): Promise<void> {
  await refuseWhileManaged(stateDirectory, host)
  await stopBetweenChanges(stateDirectory, host)
  const { exists, enabled } = await host.services.show(AGENT_UNIT)
  if (exists && enabled) await host.services.disable(AGENT_UNIT)
  await host.remove(AGENT_UNIT_FILE)
  await host.remove(AGENT_DROP_IN)
  await host.services.reload()
  await host.remove(stateDirectory)
  await host.remove('/run/nodewave')
  await removeLinks(host)
  await removePartial(host, PARTIAL_FOLDER)
  for (const name of await versionsOf(host)) await removeVersion(name, host)
  if ((await host.list(INSTALL_DIRECTORY)).length === 0) await host.remove(INSTALL_DIRECTORY)
}

/** The agent may begin a change until it has stopped. Its journal then is all that knows what the host had. */
async function stopBetweenChanges(stateDirectory: string, host: InstallHost): Promise<void> {
  const { mainPid } = await host.services.show(AGENT_UNIT)
  if (mainPid === 0) return
  await host.services.stop(AGENT_UNIT)
  try {
    await refuseWhileManaged(stateDirectory, host)
  } catch (error) {
    await host.services.start(AGENT_UNIT)
    throw error
  }
}

async function refuseWhileManaged(stateDirectory: string, host: InstallHost): Promise<void> {
  const { active, journal, unclean, directory } = statePaths(stateDirectory)
  for (const path of [journal, active]) {
    if ((await host.read(path)) === undefined) continue
    throw new Error(
      `uninstall the agent: it still manages this host ("${path}" exists); remove the annotation nodewave.io/desired-config of the Node, and wait until its status says Reverted`,
    )
  }
  if ((await host.read(unclean)) !== undefined)
    throw new Error(
      `uninstall the agent: a change of this host could not be undone ("${unclean}" exists), and what the host had before is in "${directory}"; assign what can be applied, and remove the annotation after that, or put the files of its "backups" back yourself and remove "${unclean}"`,
    )
}
