import type { InstallHost } from './install-host.ts'
import { INSTALL_DIRECTORY, REFUSED_MARK } from './paths.ts'

/** Folders of versions that did not report: a later one does, so nobody will try them again. */
export async function removeRefused(version: string, host: InstallHost): Promise<void> {
  for (const name of await versionsOf(host)) {
    const folder = `${INSTALL_DIRECTORY}/${name}`
    if (name !== version && (await host.list(folder)).includes(REFUSED_MARK)) await host.remove(folder)
  }
}

/** Folders that have an agent. */
export async function versionsOf(host: InstallHost): Promise<string[]> {
  const versions: string[] = []
  for (const name of await host.list(INSTALL_DIRECTORY)) {
    const isLink = (await host.readLink(`${INSTALL_DIRECTORY}/${name}`)) !== undefined
    if (!isLink && (await host.list(`${INSTALL_DIRECTORY}/${name}`)).includes('nodewave-agent.mjs')) versions.push(name)
  }
  return versions
}
