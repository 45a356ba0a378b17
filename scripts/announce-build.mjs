/** `npm run demo` compiles first, and the compiler prints nothing. Standard output stays free for the demo. */
process.stderr.write('Compiling recon; this takes 10 to 30 seconds.\n');
