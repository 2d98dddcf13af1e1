import type { InstallHost } from './install-host.ts'
import { AGENT_DROP_IN, AGENT_UNIT, AGENT_UNIT_FILE, CURRENT_LINK, PREVIOUS_LINK, versionFolder } from './paths.ts'
import { isComplete, removePartial, removeVersion, requireLinks, versionAt, versionsOf } from './versions.ts'

export interface Placement {
  readonly version: string
  /** Name of the Node, where it is not the host's name. */
  readonly nodeName?: string | undefined
}

/**
 * Makes a version the one that a host starts when it boots. The host does not run, so no version can show that it works: the one before is
 * kept, and no older one. It may be ended at any instruction, and called again.
 */
export async function place(placement: Placement, host: InstallHost): Promise<void> {
  const { version } = placement
  await requireLinks(host)
  await removePartial(host)
  const current = await versionAt(CURRENT_LINK, host)
  if (current !== undefined && current !== version && (await isComplete(current, host)))
    await host.setLink(PREVIOUS_LINK, current)
  if (current !== version) await host.setLink(CURRENT_LINK, version)
  await placeUnit(placement, host)
  await host.services.enable(AGENT_UNIT)
  const before = await versionAt(PREVIOUS_LINK, host)
  for (const name of await versionsOf(host)) if (name !== version && name !== before) await removeVersion(name, host)
}

/** @returns whether the service manager runs something else than what the files say now. */
export async function placeUnit({ version, nodeName }: Placement, host: InstallHost): Promise<boolean> {
  const unit = await host.read(`${versionFolder(version)}/${AGENT_UNIT}`)
  if (unit === undefined) throw new Error(`install the agent: "${versionFolder(version)}" has no ${AGENT_UNIT}`)
  const wanted = new Map([[AGENT_UNIT_FILE, unit]])
  if (nodeName !== undefined) wanted.set(AGENT_DROP_IN, `[Service]\nEnvironment=NODE_NAME=${nodeName}\n`)
  let isChanged = false
  for (const [path, text] of wanted) {
    if ((await host.read(path)) === text) continue
    await host.write(path, text)
    isChanged = true
  }
  if (isChanged) await host.services.reload()
  return isChanged
}
