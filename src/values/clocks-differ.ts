/** The clocks of two machines differ by less than this, unless one of them is wrong. */
export const clocksDifferMs = 3_600_000;
