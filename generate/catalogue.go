package generate

import "strings"

// category is of products of the made-up shop: every kind comes in every size. The noun, if there
// is one, stands behind the kind: "Greek" "yogurt" "150 g".
type category struct {
	department, name string
	noun             string
	kinds            string // divided by "|"
	sizes            string
}

// products are the labels of a category, all kinds of the first size first.
func (c category) products() []string {
	var out []string
	for size := range strings.SplitSeq(c.sizes, "|") {
		for kind := range strings.SplitSeq(c.kinds, "|") {
			label := kind
			if c.noun != "" {
				label += " " + c.noun
			}
			out = append(out, label+" "+size)
		}
	}
	return out
}

// size is how many products there are.
func (c category) size() int {
	return (1 + strings.Count(c.sizes, "|")) * (1 + strings.Count(c.kinds, "|"))
}

// catalogue is 43 categories in ten departments. The products are inventions.
var catalogue = []category{
	{"Dairy", "Milk", "milk", "Whole|Semi-skimmed|Skimmed|Lactose-free|Organic|Goat|Oat|Almond|Soy|Butter", "500 ml|1 l|2 l"},
	{"Dairy", "Yogurt", "yogurt", "Greek|Plain|Strawberry|Vanilla|Blueberry|Peach|Low-fat|Coconut|Honey|Drinking", "150 g|500 g|1 kg"},
	{"Dairy", "Cheese", "", "Cheddar|Gouda|Brie|Camembert|Mozzarella|Feta|Parmesan|Emmental|Blue cheese|Cottage cheese", "150 g|250 g|400 g"},
	{"Dairy", "Butter and spreads", "", "Salted butter|Unsalted butter|Spreadable butter|Margarine|Olive spread|Ghee|Herb butter|Cream cheese|Garlic butter|Vegan spread", "125 g|250 g|500 g"},
	{"Dairy", "Eggs and cream", "", "Free-range eggs|Organic eggs|Barn eggs|Whipping cream|Sour cream|Clotted cream|Coffee cream|Creme fraiche|Custard|Quail eggs", "small|medium|large"},

	{"Bakery", "Bread", "bread", "White|Wholemeal|Rye|Sourdough|Multigrain|Spelt|Toast|Gluten-free|Pumpkin seed|Walnut", "300 g|500 g|1 kg"},
	{"Bakery", "Rolls", "", "Bread rolls|Baguettes|Ciabatta|Bagels|Burger buns|Hot dog buns|Pretzels|Croissants|Brioche rolls|Pita breads", "2 pieces|4 pieces|6 pieces"},
	{"Bakery", "Cakes", "cake", "Chocolate|Carrot|Lemon|Apple|Cheese|Marble|Sponge|Fruit|Almond|Coffee", "slice|400 g|800 g"},
	{"Bakery", "Biscuits", "biscuits", "Butter|Oat|Ginger|Chocolate chip|Shortbread|Digestive|Coconut|Hazelnut|Lemon|Cream", "100 g|200 g|400 g"},

	{"Fruit and vegetables", "Fruit", "", "Apples|Pears|Bananas|Oranges|Lemons|Peaches|Plums|Grapes|Kiwis|Mangoes", "500 g|1 kg|2 kg"},
	{"Fruit and vegetables", "Berries", "", "Strawberries|Raspberries|Blueberries|Blackberries|Redcurrants|Gooseberries|Cranberries|Cherries|Blackcurrants|Mixed berries", "125 g|250 g|500 g"},
	{
		"Fruit and vegetables", "Vegetables", "",
		"Potatoes|Carrots|Onions|Tomatoes|Peppers|Courgettes|Broccoli|Cauliflower|Aubergines|Leeks",
		"250 g|500 g|1 kg",
	},
	{"Fruit and vegetables", "Salads", "", "Iceberg lettuce|Romaine lettuce|Rocket|Lamb's lettuce|Baby spinach|Mixed leaves|Radicchio|Endive|Cucumber salad|Coleslaw", "100 g|200 g|400 g"},
	{"Fruit and vegetables", "Herbs", "", "Basil|Parsley|Coriander|Chives|Dill|Mint|Rosemary|Thyme|Sage|Tarragon", "pot|bunch|30 g"},

	{"Meat and fish", "Beef", "", "Minced beef|Sirloin steak|Rump steak|Beef fillet|Beef goulash|Roast beef|Beef burgers|Beef strips|Corned beef|Oxtail", "250 g|500 g|1 kg"},
	{"Meat and fish", "Pork", "", "Pork chops|Pork fillet|Minced pork|Pork belly|Pork shoulder|Smoked bacon|Cooked ham|Cured ham|Spare ribs|Gammon", "250 g|500 g|1 kg"},
	{"Meat and fish", "Poultry", "", "Chicken breast|Chicken thighs|Whole chicken|Chicken wings|Turkey breast|Turkey mince|Duck breast|Chicken nuggets|Turkey slices|Roast chicken", "300 g|600 g|1.2 kg"},
	{"Meat and fish", "Sausages", "", "Frankfurters|Bratwurst|Chorizo|Salami|Merguez|Liver sausage|Black pudding|Cocktail sausages|Vegetarian sausages|Pepperoni", "100 g|200 g|400 g"},
	{"Meat and fish", "Fish", "", "Salmon fillet|Cod fillet|Smoked salmon|Trout|Herring|Mackerel|Prawns|Mussels|Fish fingers|Tuna steak", "150 g|300 g|600 g"},

	{"Pantry", "Pasta", "", "Spaghetti|Penne|Fusilli|Farfalle|Tagliatelle|Lasagne sheets|Macaroni|Rigatoni|Gnocchi|Ravioli", "250 g|500 g|1 kg"},
	{"Pantry", "Rice and grains", "", "Basmati rice|Jasmine rice|Risotto rice|Brown rice|Couscous|Bulgur|Quinoa|Red lentils|Chickpeas|Polenta", "250 g|500 g|1 kg"},
	{"Pantry", "Sauces", "", "Tomato sauce|Pesto|Ketchup|Mayonnaise|Mustard|Soy sauce|Curry sauce|Barbecue sauce|Horseradish|Chilli sauce", "190 g|350 g|500 g"},
	{"Pantry", "Oils and vinegars", "", "Olive oil|Sunflower oil|Rapeseed oil|Sesame oil|Walnut oil|Balsamic vinegar|White wine vinegar|Cider vinegar|Rice vinegar|Chilli oil", "250 ml|500 ml|1 l"},
	{"Pantry", "Spices", "", "Black pepper|Paprika|Cinnamon|Cumin|Turmeric|Oregano|Nutmeg|Curry powder|Sea salt|Bay leaves", "jar|refill|200 g"},
	{"Pantry", "Canned food", "", "Canned tomatoes|Baked beans|Kidney beans|Sweetcorn|Canned tuna|Sardines|Pea soup|Tomato soup|Pineapple rings|Olives", "200 g|400 g|800 g"},
	{"Pantry", "Breakfast cereals", "", "Cornflakes|Muesli|Granola|Porridge oats|Wheat biscuits|Rice puffs|Bran flakes|Chocolate pops|Honey hoops|Fruit flakes", "250 g|500 g|750 g"},

	{"Drinks", "Water", "water", "Still mineral|Sparkling mineral|Medium mineral|Lemon|Raspberry|Spring|Tonic|Coconut|Soda|Vitamin", "500 ml|1 l|1.5 l"},
	{"Drinks", "Juice", "juice", "Orange|Apple|Grape|Tomato|Pineapple|Carrot|Grapefruit|Cherry|Multivitamin|Pear", "200 ml|1 l|2 l"},
	{"Drinks", "Soft drinks", "", "Cola|Cola zero|Lemonade|Orangeade|Ginger ale|Bitter lemon|Iced tea|Energy drink|Root beer|Elderflower cordial", "330 ml|1 l|2 l"},
	{"Drinks", "Coffee", "coffee", "Ground|Espresso|Instant|Decaffeinated|Filter|Organic|Arabica|Italian roast|Vanilla|Cold brew", "100 g|250 g|1 kg"},
	{"Drinks", "Tea", "tea", "Black|Green|Peppermint|Camomile|Earl Grey|Rooibos|Fruit|Ginger|Fennel|Jasmine", "20 bags|50 bags|100 bags"},
	{"Drinks", "Beer", "", "Lager|Pale ale|Stout|Wheat beer|Pilsner|Alcohol-free beer|Bitter|Amber ale|Shandy|Bock", "330 ml|500 ml|6 bottles"},
	{"Drinks", "Wine", "", "Riesling|Chardonnay|Merlot|Pinot noir|Rose wine|Sparkling wine|Shiraz|Sauvignon blanc|Mulled wine|Port", "250 ml|750 ml|1.5 l"},

	{
		"Sweets and snacks", "Chocolate", "chocolate",
		"Milk|Dark|White|Hazelnut|Almond|Caramel|Orange|Mint|Marzipan|Nougat", "50 g|100 g|300 g",
	},
	{"Sweets and snacks", "Candy", "", "Gummy bears|Liquorice|Peppermints|Toffees|Lollipops|Marshmallows|Fruit drops|Chewing gum|Jelly beans|Fudge", "50 g|150 g|300 g"},
	{"Sweets and snacks", "Crisps", "", "Salted crisps|Paprika crisps|Cheese and onion crisps|Tortilla chips|Pretzel sticks|Popcorn|Rice cakes|Corn puffs|Prawn crackers|Vegetable crisps", "50 g|150 g|250 g"},
	{"Sweets and snacks", "Nuts", "", "Salted peanuts|Roasted almonds|Cashews|Walnuts|Pistachios|Hazelnuts|Macadamias|Trail mix|Sunflower seeds|Raisins", "100 g|200 g|500 g"},

	{
		"Frozen food", "Ice cream", "ice cream",
		"Vanilla|Chocolate|Strawberry|Stracciatella|Pistachio|Caramel|Lemon|Cookie|Mango|Walnut",
		"120 ml|500 ml|1 l",
	},
	{"Frozen food", "Frozen vegetables", "", "Frozen peas|Frozen spinach|Frozen beans|Frozen broccoli|Stir-fry mix|Oven chips|Frozen carrots|Frozen sprouts|Soup vegetables|Potato wedges", "300 g|750 g|1 kg"},
	{"Frozen food", "Pizza", "pizza", "Margherita|Salami|Ham|Tuna|Four cheese|Vegetable|Mushroom|Hawaiian|Spinach|Chicken", "mini|regular|family"},

	{"Household", "Cleaners", "", "All-purpose cleaner|Glass cleaner|Bathroom cleaner|Toilet cleaner|Oven cleaner|Floor cleaner|Washing-up liquid|Dishwasher tablets|Descaler|Drain cleaner", "small|regular|refill"},
	{"Household", "Laundry", "", "Washing powder|Liquid detergent|Fabric softener|Stain remover|Wool detergent|Colour detergent|Starch|Bleach|Detergent pods|Linen spray", "10 loads|20 loads|50 loads"},
	{"Personal care", "Body care", "", "Shower gel|Shampoo|Conditioner|Hand soap|Body lotion|Toothpaste|Deodorant|Shaving foam|Sun cream|Face cream", "travel|regular|large"},
}
