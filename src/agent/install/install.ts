import { statePaths } from '../paths.ts'
import type { InstallHost } from './install-host.ts'
import { AGENT_UNIT, CURRENT_LINK, PREVIOUS_LINK, REFUSED_MARK, versionFolder } from './paths.ts'
import { placeUnit } from './place.ts'
import { isComplete, removePartial, removeRefused, removeVersion, requireLinks, versionAt } from './versions.ts'

export interface InstallOptions {
  /** Of the folder that is to run. */
  readonly version: string
  /** Milliseconds in which an agent that was started has to reach its Node. */
  readonly proof: number
  /** Of the agent's state. */
  readonly stateDirectory: string
  /** Try a version again that did not report. */
  readonly retry: boolean
  /** Name of the Node, where it is not the host's name. */
  readonly nodeName?: string | undefined
}

export type InstallResult =
  /** The version reports. */
  | 'installed'
  /** It is the first one on this host and runs, but has not reached its Node. */
  | 'unproved'
  /** It did not report, and the one before runs again. */
  | 'went back'
  /** It did not report when it was tried last, and was not tried again. */
  | 'refused'

/** Between two looks. */
const POLL = 500
/** A change that takes longer waits for something, as for a reboot: it is taken up again. */
const LONGEST_CHANGE = 15 * 60_000

/**
 * Makes a version the one that runs, and goes back to the one before when it does not report. It may be ended at any instruction: called
 * again, it goes on with what it finds. The agent that runs finishes its change first.
 */
export async function install(options: InstallOptions, host: InstallHost): Promise<InstallResult> {
  const { version, retry } = options
  const mark = `${versionFolder(version)}/${REFUSED_MARK}`
  await requireLinks(host)
  await removePartial(host)
  if (retry) await host.remove(mark)
  if ((await host.read(mark)) !== undefined) return refuse(options, host)
  await use(options, host)
  if (await reports(version, { host, within: options.proof })) {
    await removeRefused(version, host)
    return 'installed'
  }
  const before = await versionBefore(version, host)
  if (before === undefined) return 'unproved'
  await host.write(mark, `did not report within ${options.proof / 1000} s\n`)
  await goBack(before, options, host)
  return 'went back'
}

/** Who went back last may have been ended on the way. */
async function refuse(options: InstallOptions, host: InstallHost): Promise<InstallResult> {
  const before = await versionBefore(options.version, host)
  const current = await versionAt(CURRENT_LINK, host)
  const { mainPid } = await host.services.show(AGENT_UNIT)
  if (before === undefined || ![before, options.version].includes(current ?? '') || (await isOf(before, mainPid, host)))
    return 'refused'
  await goBack(before, options, host)
  return 'went back'
}

/** Where the host went back already, both links lead to one version: there is none before that one. */
async function versionBefore(version: string, host: InstallHost): Promise<string | undefined> {
  const before = await versionAt(PREVIOUS_LINK, host)
  return before !== undefined && before !== version && (await isComplete(before, host)) ? before : undefined
}

/** Links, unit and process are those of the version afterwards. */
async function use({ version, nodeName, stateDirectory }: InstallOptions, host: InstallHost): Promise<void> {
  const current = await versionAt(CURRENT_LINK, host)
  if (current !== version) {
    if (current !== undefined) await keepAsPrevious(current, { version, host })
    await host.setLink(CURRENT_LINK, version)
  }
  const isChanged = await placeUnit({ version, nodeName }, host)
  const { enabled, mainPid } = await host.services.show(AGENT_UNIT)
  if (!enabled) await host.services.enable(AGENT_UNIT)
  if (mainPid === 0) return startQuietly(host)
  if (isChanged || !(await isOf(version, mainPid, host))) await replaceProcess(mainPid, { stateDirectory, host })
}

/** One that was never seen to report is no version to go back to, as long as there is another. */
async function keepAsPrevious(current: string, { version, host }: { version: string; host: InstallHost }): Promise<void> {
  if (!(await isComplete(current, host))) return
  const before = await versionAt(PREVIOUS_LINK, host)
  const { mainPid } = await host.services.show(AGENT_UNIT)
  if (before !== undefined && !(await isOf(current, mainPid, host))) return
  // In this order: an older version that no link leads to would stay for ever.
  if (before !== undefined && ![current, version].includes(before)) await removeVersion(before, host)
  await host.setLink(PREVIOUS_LINK, current)
}

async function isOf(version: string, pid: number, host: InstallHost): Promise<boolean> {
  const contact = await host.contact()
  return contact?.pid === pid && contact.version === version
}

/** An agent that has reached its Node knows how to leave between two changes; the service manager then starts the next one. */
async function replaceProcess(pid: number, { stateDirectory, host }: Place): Promise<void> {
  const contact = await host.contact()
  if (contact?.pid !== pid) return restartBetweenChanges({ stateDirectory, host })
  host.say(`the agent that runs (pid ${pid}, version ${contact.version}) is asked to leave after its change`)
  for (;;) {
    host.askToLeave(pid)
    await host.clock.sleep(POLL)
    if ((await host.services.show(AGENT_UNIT)).mainPid !== pid) return
  }
}

interface Place {
  readonly stateDirectory: string
  readonly host: InstallHost
}

/** Of an agent that nothing is known of but its journal. */
async function restartBetweenChanges({ stateDirectory, host }: Place): Promise<void> {
  const { journal } = statePaths(stateDirectory)
  const end = host.clock.elapsed() + LONGEST_CHANGE
  while ((await host.read(journal)) !== undefined && host.clock.elapsed() < end) await host.clock.sleep(POLL)
  await host.services.restart(AGENT_UNIT).catch((error: Error) => host.say(error.message))
}

/** One that does not start is found out by its silence. */
async function startQuietly(host: InstallHost): Promise<void> {
  await host.services.start(AGENT_UNIT).catch((error: Error) => host.say(error.message))
}

async function reports(version: string, { host, within }: { host: InstallHost; within: number }): Promise<boolean> {
  const end = host.clock.elapsed() + within
  for (;;) {
    const { mainPid } = await host.services.show(AGENT_UNIT)
    if (mainPid !== 0 && (await isOf(version, mainPid, host))) return true
    if (host.clock.elapsed() >= end) return false
    await host.clock.sleep(POLL)
  }
}

async function goBack(before: string, options: InstallOptions, host: InstallHost): Promise<void> {
  host.say(`version ${options.version} did not report within ${options.proof / 1000} s: back to ${before}`)
  for (const line of await host.services.lastWords(AGENT_UNIT, host.clock.now() - options.proof)) host.say(`  ${line}`)
  await host.setLink(CURRENT_LINK, before)
  await placeUnit({ version: before, nodeName: options.nodeName }, host)
  await restartBetweenChanges({ stateDirectory: options.stateDirectory, host })
  if (await reports(before, { host, within: options.proof })) return
  // Then the silence says nothing about the version: its Node, or the API server, is out of reach.
  await host.remove(`${versionFolder(options.version)}/${REFUSED_MARK}`)
  throw new Error(
    `go back to version ${before} of the agent: it does not report either, so ${options.version} is tried again next time; see journalctl -u ${AGENT_UNIT}`,
  )
}
