/** Runs it; what it throws must be one of these by name: whatever else is a crash. */
export function refuses<T>(names: readonly string[], work: () => T): T | undefined {
  try {
    return work()
  } catch (error) {
    if (error instanceof Error && names.includes(error.name)) return undefined
    throw error
  }
}
