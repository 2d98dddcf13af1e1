import type { InstallHost } from './install-host.ts'
import {
  AGENT_UNIT,
  CURRENT_LINK,
  INSTALL_DIRECTORY,
  PREVIOUS_LINK,
  REFUSED_MARK,
  REMOVED_FOLDER,
  versionFolder,
} from './paths.ts'

const LINKS = [CURRENT_LINK, PREVIOUS_LINK]
/** What the folder of a version has. */
const PROGRAM = 'nodewave-agent.mjs'
/** No way out of the directory: folders of versions are removed with all that is in them. */
const VERSION_NAME = /^[0-9A-Za-z][^/]*$/

/** @returns the version that a link leads to; undefined when there is none, or it leads to something else */
export async function versionAt(link: string, host: InstallHost): Promise<string | undefined> {
  const target = await host.readLink(link)
  const name = target?.startsWith(`${INSTALL_DIRECTORY}/`) ? target.slice(INSTALL_DIRECTORY.length + 1) : target
  return name !== undefined && VERSION_NAME.test(name) ? name : undefined
}

/** Whether its files are there: somebody may have removed them, as a package manager with its package. */
export async function isComplete(version: string, host: InstallHost): Promise<boolean> {
  return (await host.read(`${versionFolder(version)}/${AGENT_UNIT}`)) !== undefined
}

/** @throws when something else than a link has the name of one */
export async function requireLinks(host: InstallHost): Promise<void> {
  const names = await host.list(INSTALL_DIRECTORY)
  for (const link of LINKS) {
    if (!names.includes(link.slice(INSTALL_DIRECTORY.length + 1)) || (await host.readLink(link)) !== undefined) continue
    throw new Error(`install the agent: "${link}" is not a link, so install did not make it; move it away and install again`)
  }
}

export async function removeLinks(host: InstallHost): Promise<void> {
  for (const link of LINKS) if ((await host.readLink(link)) !== undefined) await host.remove(link)
}

/** By its name first: half of a folder would be no version, and stay for ever. */
export async function removeVersion(version: string, host: InstallHost): Promise<void> {
  if (!(await host.rename(versionFolder(version), `.${version}.removed.partial`))) return removeInPlace(version, host)
  await removePartial(host)
}

/** The unit first: without it nothing goes back to the version. What shows that the folder is one is there until nothing else is. */
async function removeInPlace(version: string, host: InstallHost): Promise<void> {
  const folder = versionFolder(version)
  await host.remove(`${folder}/${AGENT_UNIT}`)
  for (const name of await host.list(folder)) if (name !== PROGRAM) await host.remove(`${folder}/${name}`)
  await host.remove(folder)
}

/** What an installer that was killed has left of versions that it removed. @param which of what others have left, too */
export async function removePartial(host: InstallHost, which = REMOVED_FOLDER): Promise<void> {
  const names = await host.list(INSTALL_DIRECTORY)
  for (const name of names) if (which.test(name)) await host.remove(`${INSTALL_DIRECTORY}/${name}`)
}

/** Folders of versions that did not report: a later one does, so nobody will try them again. And what was left of those that were removed in place. */
export async function removeRefused(version: string, host: InstallHost): Promise<void> {
  for (const name of await versionsOf(host)) {
    if (name === version) continue
    const isRefused = (await host.list(versionFolder(name))).includes(REFUSED_MARK)
    if (isRefused || !(await isComplete(name, host))) await removeVersion(name, host)
  }
}

/** Folders that have an agent. */
export async function versionsOf(host: InstallHost): Promise<string[]> {
  const versions: string[] = []
  for (const name of await host.list(INSTALL_DIRECTORY)) {
    const isLink = (await host.readLink(`${INSTALL_DIRECTORY}/${name}`)) !== undefined
    if (!isLink && VERSION_NAME.test(name) && (await host.list(`${INSTALL_DIRECTORY}/${name}`)).includes(PROGRAM))
      versions.push(name)
  }
  return versions
}
