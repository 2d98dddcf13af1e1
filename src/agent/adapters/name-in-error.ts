/** Has an error of the file system say `to` where it says `from`. */
export function nameInError(error: unknown, from: string, to: string): unknown {
  if (!(error instanceof Error)) return error
  error.message = error.message.replaceAll(from, to)
  return 'path' in error && typeof error.path === 'string'
    ? Object.assign(error, { path: error.path.replaceAll(from, to) })
    : error
}
