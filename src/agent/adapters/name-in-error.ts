/** Why a file cannot be exchanged or removed, though root may do anything. */
const WHY: Readonly<Record<string, string>> = {
  EBUSY: 'something is mounted in its place: change what is mounted, or unmount it',
  EPERM: 'it may be immutable: see lsattr',
}

/** Has an error of the file system say what may be behind it. */
export function withReason(error: unknown): unknown {
  const { code = '', syscall = '' } = error instanceof Error ? (error as NodeJS.ErrnoException) : {}
  const why = ['rename', 'unlink'].includes(syscall) ? WHY[code] : undefined
  if (error instanceof Error && why !== undefined && !error.message.endsWith(why)) error.message = `${error.message}; ${why}`
  return error
}

/** Has an error of the file system say `to` where it says `from`. */
export function nameInError(error: unknown, from: string, to: string): unknown {
  if (!(error instanceof Error)) return error
  error.message = error.message.replaceAll(from, to)
  return 'path' in error && typeof error.path === 'string'
    ? Object.assign(error, { path: error.path.replaceAll(from, to) })
    : error
}
