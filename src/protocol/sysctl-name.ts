/** `net.ipv4.ip_forward`; with slashes where a name has dots in it, as sysctl.d(5) has it: `net.ipv4.conf.eth0/100.forwarding`. */
export const SYSCTL_NAME = /^[a-z0-9_]+(?:[./][A-Za-z0-9_-]+)+$/

/**
 * @returns the path below /proc/sys. Where the first separator is a dot, dots and slashes change places; where it is a slash, the name is a
 * path already.
 */
export function sysctlPath(name: string): string {
  if (/^[^./]*\//.test(name)) return name
  return name.replace(/[./]/g, (separator) => (separator === '.' ? '/' : '.'))
}

/** One line, and something in it: another line would be another setting of the file that is read at boot. */
export const SYSCTL_VALUE = /^[^\s\0](?:[^\n\r\0]{0,4000}[^\s\0])?$/
