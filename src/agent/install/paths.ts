/** One folder for each version, and links to the one that runs and to the one before. */
export const INSTALL_DIRECTORY = '/opt/nodewave'
export const CURRENT_LINK = `${INSTALL_DIRECTORY}/current`
export const PREVIOUS_LINK = `${INSTALL_DIRECTORY}/previous`

export const AGENT_UNIT = 'nodewave-agent.service'
export const AGENT_UNIT_FILE = `/etc/systemd/system/${AGENT_UNIT}`
/** What has systemd start it at boot, as `systemctl enable` makes it. */
export const AGENT_WANTED = `/etc/systemd/system/multi-user.target.wants/${AGENT_UNIT}`
/** What `agent install` got as options for this node. */
export const AGENT_DROP_IN = `${AGENT_UNIT_FILE}.d/10-install.conf`

/** In the folder of a version that did not report: it is not started again by itself. */
export const REFUSED_MARK = 'refused'

/** Names of folders that are being copied or removed, or were when the power went. */
export const PARTIAL_FOLDER = /^\..+\.partial$/
/** Of these, the ones of versions that are being removed: another installer may copy at the same time. */
export const REMOVED_FOLDER = /^\..+\.removed\.partial$/

export function versionFolder(version: string): string {
  return `${INSTALL_DIRECTORY}/${version}`
}
