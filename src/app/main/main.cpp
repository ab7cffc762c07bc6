#include "src/app/cli.hpp"

int main(int argc, char** argv) {
    return liftwarden::app::main_cli(argc, argv);
}
